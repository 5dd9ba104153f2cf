"""Events of Socket.IO: what a server does with messages of the sockets that connect to it.

A socket is what the handler of a server's `connection` is given. Functions of other files may be
given it in turn: what they do with a parameter that is called so stands with the calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.ecmascript.module import GIVING, Module
from stationmaster.reading.code.languages.source import child, line_of, one_line, outward
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import Handed, Job, Wiring

FRAMEWORK = "Socket.IO"
_SERVERS = code.names("ecmascript.sockets.servers")
_CONNECTING = code.names("ecmascript.sockets.connecting")
_LISTENING = code.names("ecmascript.sockets.listening")
_NAMED = re.compile(code.table("ecmascript.sockets.named", str))
_NAMES = frozenset({"identifier", "member_expression"})


class _Socket(NamedTuple):
    """A name of a socket within a function; `owner` is the framework, or the function that is given
    what may be one."""

    function: Node
    name: str
    owner: str


def read(module: Module) -> Iterator[Job | Wiring]:
    """The events of a file, in its order; nothing of one that names no socket. Events of parameters
    are known by the functions that may be given one, and the calls that give one."""
    if b"socket" in module.data.lower():
        yield from _Reader(module).read()


class _Reader:
    def __init__(self, module: Module) -> None:
        self._module = module
        self._known: dict[int, _Socket] = {}
        """Sockets by where the functions begin that are given them."""

    def read(self) -> Iterator[Job | Wiring]:
        calls = sorted(self._module.calls, key=lambda each: each.node.start_byte)
        handed = [each for called in calls for each in self._connected(called)]
        events: list[tuple[str, Job]] = []
        for called in calls:
            socket = self._socket(called.of) if called.name in _LISTENING else None
            if socket is not None and (job := self._job(called)):
                if socket.owner == FRAMEWORK:
                    yield job
                else:
                    events.append((socket.owner, job))
            handed += self._handed(called)
        yield Wiring(handed=tuple(handed), events=tuple(events))

    def _connected(self, called: Called) -> Iterator[Handed]:
        """Note the socket that a handler of connections is given."""
        given = called.given.at
        if called.name != "on" or len(given) < 2 or not self._is_server(called.of):
            return
        if self._module.literal(given[0]) not in _CONNECTING:
            return
        if given[1].type in GIVING:
            for name in self._module.parameters(given[1])[:1]:
                self._known[given[1].start_byte] = _Socket(given[1], name, FRAMEWORK)
        elif given[1].type in _NAMES:
            yield Handed(one_line(self._module.text(given[1])), called.line, (), FRAMEWORK)

    def _is_server(self, node: Node | None) -> bool:
        """Is something a server, or a namespace of one (`io.of("/chat")`)?"""
        made = self._module.made(node)
        if made is not None:
            return made.maker in _SERVERS
        while node is not None and node.type == "call_expression":
            function = child(node, "function")
            if self._module.part(function, "property") != "of" or function is None:
                return False
            node = child(function, "object")
        name = self._module.text(node).rpartition(".")[2]
        return name == "io" and not self._module.origin(node).startswith("socket.io-client")

    def _socket(self, node: Node | None) -> _Socket | None:
        """What a name is that may be one of a socket, by the function that is given it."""
        if node is None or node.type != "identifier":
            return None
        name = self._module.text(node)
        for around, _ in outward(node):
            if around.type in GIVING:
                known = self._known.get(around.start_byte)
                if known is not None and known.name == name:
                    return known
                if name in self._module.parameters(around):
                    body = child(around, "body") or around
                    function = self._module.scopes.at(body.start_byte)
                    is_named = function and _NAMED.search(name)
                    return _Socket(around, name, function) if is_named else None
        return None

    def _job(self, called: Called) -> Job | None:
        given = called.given.at
        event = self._event(given[0]) if len(given) > 1 else None
        if not event or given[-1].type not in GIVING | _NAMES:
            return None
        is_named = given[-1].type in _NAMES
        handler = one_line(self._module.text(given[-1])) if is_named else called.caller
        return Job(event, "event", line_of(called.node), event, handler, FRAMEWORK)

    def _event(self, node: Node) -> str | None:
        """The name of an event, which may be put together: `prefix + "join"`."""
        if node.type != "binary_expression":
            return self._module.value(node)
        parts = [self._module.value(side) for side in node.named_children]
        return None if None in parts or len(parts) > 2 else "".join(part or "" for part in parts)

    def _handed(self, called: Called) -> Iterator[Handed]:
        """A call that gives a socket to a function."""
        for node in called.given.at:
            socket = self._socket(node)
            if socket is not None:
                name = one_line(self._module.text(called.function))
                yield Handed(name, called.line, (), socket.owner)
                return
