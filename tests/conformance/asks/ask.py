"""What a request of the matrix is made of, and how it is sent."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import httpx

from tests.conformance.conftest import House
from tests.conformance.matrix import Row
from tests.support.cast import Cast


@dataclass(frozen=True)
class Ask:
    """One request: what fills its path, its query and its body."""

    path: dict[str, str] = field(default_factory=dict)
    params: dict[str, str] = field(default_factory=dict)
    json: Any = None
    content: bytes | None = None
    media: str | None = None
    subject: str = ""
    """What names the resource, wherever it stands; by default what fills the path's end."""

    def name(self) -> str:
        return self.subject or list(self.path.values())[-1]

    def of_nothing(self) -> Ask:
        """The same of something that nobody has: another name of the same form and length."""
        name = self.name()
        unknown = _other(name)
        path, params, body = json.loads(
            json.dumps([self.path, self.params, self.json]).replace(name, unknown)
        )
        return replace(self, path=path, params=params, json=body, subject=unknown)


Maker = Callable[[House, Cast, str], Ask]


ASKS: dict[str, Maker] = {}


_DAY = {"startDate": "2026-11-20", "endDate": "2026-11-20"}


def _other(name: str) -> str:
    """Letters and digits turned, the last twelve of them: prefixes and separators stay."""
    turned = {"a": "b", "1": "2"}
    kept, tail = name[:-12], name[-12:]
    return kept + "".join(
        turned.get(c, "a" if c.islower() else "1") if c.isalnum() else c for c in tail
    )


def asks(*operations: str) -> Callable[[Maker], Maker]:
    def enter(maker: Maker) -> Maker:
        for operation in operations:
            assert operation not in ASKS
            ASKS[operation] = maker
        return maker

    return enter


def send(house: House, row: Row, ask: Ask, caller: str) -> httpx.Response:
    """Ask with the key of a kind of caller of our organization."""
    headers = {} if ask.media is None else {"Content-Type": ask.media}
    # httpx decodes nothing in a path that is given whole, so that each segment stays one.
    path = re.sub(r"{(\w+)(?::path)?}", lambda found: ask.path[found[1]], row.path)
    return house.client(caller).request(
        row.method, path, params=ask.params, json=ask.json, content=ask.content, headers=headers
    )


def asked(house: House, row: Row, caller: str, of: str = "ours") -> Ask:
    """The request of a row, about something of ours or of theirs."""
    cast = house.ours if of == "ours" else house.theirs
    maker = ASKS.get(row.operation)
    return Ask() if maker is None else maker(house, cast, caller)
