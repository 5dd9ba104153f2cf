"""What an agent's words mean, from `words.toml` in its package.

A client without a kind is named "" in that file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from stationmaster.catalogue.table import Row, read
from stationmaster.events.model import Autonomy, Client

V = TypeVar("V", bound=str)
Names = tuple[str, ...]


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

    def plain(self, name: str) -> str:
        """A record's name without the prefix, which some have not."""
        return name.removeprefix(self.prefix)

    def unread(self, name: str) -> str:
        """Why a record that no reader reads is dropped."""
        return self._unread.get(self.plain(name), "unknown_record")

    def unread_hook(self, event: str) -> str:
        """Why a hook of an event that no reader reads is dropped."""
        other = self.table.other_hooks if event else "unknown_record"
        return self._unread_hooks.get(event, other)


def _inverted(words: Mapping[V, Names]) -> dict[str, V]:
    return {name: word for word, names in words.items() for name in names}
