"""Local ports that lead to ports of a computer: one relay stream for each connection."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

from stationmaster.client.relay import sockets
from stationmaster.errors import BadRequest, OperatorError, StationmasterError
from stationmaster.relay_messages import Close

PORT_MAX = 65_535
_SAME_LINE_S = 60.0
Show = Callable[[dict[str, Any]], None]


class Mapping(NamedTuple):
    """A local port, 0 for any free one, and a port of the computer."""

    local: int
    remote: int


class ComputerRemoved(Exception):
    """The computer is no more."""


def mapping(text: str) -> Mapping:
    """`8080:80`, `5432` for the same on both sides, `:9000` for any free local port.

    Raises BadRequest.
    """
    local, colon, remote = text.partition(":")
    try:
        ports = Mapping(_port(local or "0") if colon else _port(local), _port(remote or local))
    except ValueError:
        ports = Mapping(0, 0)
    is_free = text.startswith(":")
    if not ports.remote or (not ports.local and not is_free) or text.endswith(":"):
        raise BadRequest(
            f"'{text}' is no port mapping: LOCAL:REMOTE, PORT or :REMOTE, from 1 to {PORT_MAX}",
            code="bad_mapping",
        )
    return ports


def mappings(texts: Sequence[str]) -> list[Mapping]:
    """All of them; raises BadRequest also for a local port that is named twice."""
    ports = [mapping(text) for text in texts]
    named = [pair.local for pair in ports if pair.local]
    if len(named) != len(set(named)):
        raise BadRequest("a local port is named twice", code="bad_mapping")
    return ports


class Forwarding:
    """Of one computer. `show` takes one event at a time, as a JSON object."""

    def __init__(self, url: str, key: str, computer_id: str, show: Show) -> None:
        self._url = url
        self._key = key
        self._computer_id = computer_id
        self._show = show
        self._removed = asyncio.Event()
        self._last_fault = ("", 0.0)

    async def run(self, mappings: Sequence[Mapping], address: str) -> None:
        """Listen until cancelled; all ports are bound before any connection is taken.

        Raises OperatorError where one is taken, and ComputerRemoved.
        """
        with ExitStack() as listening:
            servers = []
            for one in mappings:
                server = await self._listen(one, address)
                listening.callback(server.close)
                servers.append((one, server))
            for one, server in servers:
                port = server.sockets[0].getsockname()[1]
                event = {"event": "listening", "address": address}
                self._show({**event, "local": port, "remote": one.remote})
                await server.start_serving()
            await self._removed.wait()
            raise ComputerRemoved

    async def _listen(self, one: Mapping, address: str) -> asyncio.Server:
        async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._take(one.remote, reader, writer)

        try:
            return await asyncio.start_server(take, address, one.local, start_serving=False)
        except OSError as fault:
            raise OperatorError(
                f"cannot listen on {address}:{one.local} ({fault.strerror}); nothing is forwarded",
                code="address",
            ) from fault

    async def _take(
        self, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        code: int = Close.FAILED
        path = f"/computers/{self._computer_id}/connect?port={port}"
        try:
            async with sockets.dialled(self._url, path, self._key) as socket:
                code = await sockets.copy(socket, reader, writer)
            if code == Close.REMOVED:
                self._removed.set()
        except StationmasterError as fault:
            self._note(fault)
        finally:
            await sockets.end(writer, code)

    def _note(self, fault: StationmasterError) -> None:
        """Report why a connection was not made: the same reason at most once a minute."""
        if fault.code == "not_found":
            self._removed.set()
            return
        detail, at = self._last_fault
        if detail != fault.detail or time.monotonic() - at > _SAME_LINE_S:
            self._last_fault = (fault.detail, time.monotonic())
            self._show({"event": "refused", "code": fault.code, "detail": fault.detail})


def _port(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 0 <= int(text) <= PORT_MAX:
        raise ValueError(text)
    return int(text)
