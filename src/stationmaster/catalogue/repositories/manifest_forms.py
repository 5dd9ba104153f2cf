"""Manifests that are code, read by its words alone: `manifest_forms.toml`."""

from __future__ import annotations

from functools import cache

import msgspec

from stationmaster.catalogue.ecosystems import Ecosystem
from stationmaster.catalogue.table import Row, read


class Form(Row, frozen=True):
    """Expressions of one form; the table describes what each of them finds."""

    files: tuple[str, ...]
    ecosystem: Ecosystem
    needs: str
    comments: str = ""
    about: str = r"(?!)"
    last: bool = False
    names: tuple[str, ...] = ("name",)
    texts: tuple[str, ...] = ("description",)
    development: str = r"(?!)"
    kept: dict[str, str] = msgspec.field(default_factory=dict)
    data: dict[str, str] = msgspec.field(default_factory=dict)


@cache
def forms() -> tuple[Form, ...]:
    """All of them."""
    return tuple(read("repositories/manifest_forms", dict[str, Form]).values())
