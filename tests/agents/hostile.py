"""Values that no agent sends, and looks at what became of them, for any reader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from hypothesis import strategies as st

from stationmaster.events.model import Event
from stationmaster.ingest import events as ingest
from tests.agents.gemini_cli import samples as gemini
from tests.agents.qwen_code import samples as qwen

MARK = "Xq7Secret"
"""Stands in every text of a record that is content; no event may carry it."""
PRODUCTS = ("claude-code", "codex", "gemini-cli", "qwen-code", "copilot-cli")
"""The agents whose lines and exports one test holds for. OpenCode keeps a database, Droid's exports
are counters alone and Cursor has none: each has a `test_hostile.py` of its own."""
HOOKED = {"gemini-cli": gemini, "qwen-code": qwen}
"""The agents whose hooks are read, with their samples."""

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(
        [
            "__proto__",
            "constructor",
            "mcp__a__b",
            "a___b",
            "response.completed",
            "reject",
            "Write",
            "Bash",
            "exec",
            "true",
            "-1",
            '{"command": 5}',
            "[",
            "x" * 5000,
        ]
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "__proto__", "content", "id", "text", "edits"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


def check(events: list[Event]) -> None:
    """Every event is one that ingestion accepts: right types, short names, possible figures."""
    assert ingest.check(map(msgspec.json.encode, events)).errors == []


def is_marked(value: Any) -> bool:
    return MARK.lower().encode() in msgspec.json.encode(value).lower()


def with_each_value_replaced(value: Any, new: Any) -> Iterator[Any]:
    """Copies of a JSON value, in each of which another value in it is the new one."""
    yield new
    if isinstance(value, dict):
        for key, inner in value.items():
            for other in with_each_value_replaced(inner, new):
                yield {**value, key: other}
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            for other in with_each_value_replaced(inner, new):
                yield [*value[:index], other, *value[index + 1 :]]


def replaced(value: Any, place: int, new: Any) -> tuple[Any, int]:
    """A copy of a JSON value in which the place-th value in it is another."""
    if place == 0:
        return new, -1
    place -= 1
    if isinstance(value, dict):
        copy: dict[str, Any] = {}
        for key, inner in value.items():
            copy[key], place = replaced(inner, place, new) if place >= 0 else (inner, place)
        return copy, place
    if isinstance(value, list):
        items = []
        for inner in value:
            item, place = replaced(inner, place, new) if place >= 0 else (inner, place)
            items.append(item)
        return items, place
    return value, place


class Anything(dict[str, Any]):
    """Attributes of which each that is asked for has any value, or is missing."""

    def __init__(self, data: st.DataObject) -> None:
        super().__init__()
        self._data = data

    def get(self, key: str, default: Any = None) -> Any:
        """The value of an attribute, drawn when it is first asked for."""
        if key not in self:
            self[key] = self._data.draw(st.none() | json_values)
        value = self[key]
        return default if value is None else value
