"""What an agent's words mean, from `words.toml` in its package.

A `@group` in that file means its attributes; a client without a kind is named "".
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from stationmaster.agents.interface import Intake
from stationmaster.catalogue.table import Row, read
from stationmaster.events.model import Autonomy, Client

V = TypeVar("V", bound=str)
Names = tuple[str, ...]
_NOTHING: frozenset[str] = frozenset()


class _Table(Row, frozen=True):
    """`tools`, `autonomy` and `unread` list, for each of our words, those of the agent."""

    prefix: str = ""
    tools: dict[str, Names] = msgspec.field(default_factory=dict)
    autonomy: dict[Autonomy, Names] = msgspec.field(default_factory=dict)
    clients: dict[str, tuple[Client | Literal[""], str]] = msgspec.field(default_factory=dict)
    hook_events: dict[str, str] = msgspec.field(default_factory=dict)
    names: dict[str, frozenset[str]] = msgspec.field(default_factory=dict)
    unread: dict[str, Names] = msgspec.field(default_factory=dict)
    unread_hooks: dict[str, Names] = msgspec.field(default_factory=dict)
    other_hooks: str = "unknown_record"
    """What a hook of any other event is."""
    attributes: dict[str, Names] = msgspec.field(default_factory=dict)


class Words:
    """The words of one agent, each with what it means."""

    def __init__(self, module: str) -> None:
        """`module` is the file of a module in the agent's package."""
        self.table = table = read("words", _Table, Path(module).parent)
        self.prefix = table.prefix
        """How the names of its records begin."""
        self.tools = _inverted(table.tools)
        """The canonical names of its tools; others keep their own."""
        self.autonomy = _inverted(table.autonomy)
        self.clients = {name: (kind or None, at) for name, (kind, at) in table.clients.items()}
        """(client, surface) by the name that the agent has for it."""
        self.hook_events = table.hook_events
        """The name that the same moment has for most agents."""
        self.names = table.names
        """Sets of its words that mean the same to a reader."""
        self._unread = _inverted(table.unread)
        self._unread_hooks = _inverted(table.unread_hooks)
        self._attributes = {
            name: frozenset(self._resolved(names)) for name, names in table.attributes.items()
        }

    def drop(self, record: str, intake: Intake) -> None:
        """Drop a record of a name, without the prefix, that no reader reads."""
        intake.drop(self._unread.get(record, "unknown_record"))

    def drop_hook(self, event: str, intake: Intake) -> None:
        """Drop a hook of an event that no reader reads."""
        other = self.table.other_hooks if event else "unknown_record"
        intake.drop(self._unread_hooks.get(event, other))

    def attributes_of(self, name: str) -> frozenset[str]:
        """See agent.Agent.attributes_of."""
        return self._attributes.get(name.removeprefix(self.prefix), _NOTHING)

    def _resolved(self, names: Names) -> list[str]:
        groups = self.table.attributes
        return [
            attribute
            for name in names
            for attribute in (self._resolved(groups[name]) if name.startswith("@") else (name,))
        ]


def _inverted(words: Mapping[V, Names]) -> dict[str, V]:
    return {name: word for word, names in words.items() for name in names}
