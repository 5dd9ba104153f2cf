"""Keys that flags are bound to: `BindPFlags(flags)` and `BindPFlag("port", flag)` of viper,
`posflag.Provider(flags, ".", k)` of koanf."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.go.frameworks import File
from stationmaster.reading.code.languages.source import Source, child, inside
from stationmaster.reading.code.model import Option, Setting

_ALL = frozenset({"BindPFlags", "Provider"})


class Bound(NamedTuple):
    """The command or function whose flags are bound, and of a single one its name and its key."""

    owner: str
    flag: str = ""
    key: str = ""


def bound(
    source: Source, name: str, given: Sequence[Node], flags_of: Callable[[Node], str | None]
) -> Iterator[Bound]:
    """What a call binds; nothing where the flags are not known."""
    if name in _ALL and given and (owner := flags_of(given[0])) is not None:
        yield Bound(owner)
    if name == "BindPFlag" and len(given) == 2:
        lookup = child(given[1], "function")
        on = child(lookup, "operand")
        flag, key = next(iter(inside(given[1], "arguments")), None), source.literal(given[0])
        owner = flags_of(on) if on is not None else None
        if owner is not None and key and (called := source.literal(flag)):
            yield Bound(owner, called, key)


def keys(
    file: File, bindings: Sequence[Bound], options: Callable[[str], Sequence[Option]]
) -> Iterator[Setting]:
    """The keys, with what their flags mean, and their defaults where viper is given none."""
    given = (inside(call.listed) for call in file.called if call.name == "SetDefault" and bindings)
    defaults = {file.literal(nodes[0]) for nodes in given if nodes}
    for owner, flag, key in bindings:
        for option in options(owner):
            name = option.names[-1].lstrip("-")
            if flag in ("", name):
                default = None if (key or name) in defaults else option.default
                yield Setting(key or name, "key", option.line, default, doc=option.help)
