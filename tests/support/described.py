"""The description of all operations, made once in a process: it takes seconds to make."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from stationmaster.api.app import create_app
from stationmaster.settings import Settings

if TYPE_CHECKING:
    from schemathesis.schemas import BaseSchema


@cache
def description() -> dict[str, Any]:
    """What the server answers at /openapi.json."""
    described: dict[str, Any] = create_app(Settings()).openapi()
    return described


@cache
def contract() -> BaseSchema:
    """The same, to hold answers against: `contract()[path][method]`."""
    import schemathesis  # Takes a second: only who holds answers against it needs it.

    return schemathesis.openapi.from_dict(description())
