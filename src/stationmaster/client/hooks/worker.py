"""The process that makes events of hooks: one at a time, for all agents of a machine's person.

It has its own hook, takes those that others hand over while it is there, and ends soon after the
last. A hook's JSON is held in memory alone; only counts and names of it are written.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import msgspec

from stationmaster.agents import recognition
from stationmaster.agents.interface import Intake, InvalidRecord
from stationmaster.client.collecting.checkouts import Checkouts
from stationmaster.client.hooks.run import REFUSED, SIZE_MAX, SOCKET, TAKEN
from stationmaster.client.spool import Segment
from stationmaster.events.model import Event

_IDLE_S = 1.0
_LIFE_S = 30.0
"""What arrived until then is sent; a later sender makes a worker of its own."""
_GIVING_S = 10.0
"""How long one may take to hand its hook over."""
_WAITING_MAX = 1_024
_HEAD_MAX = 1_000
_decode = msgspec.json.Decoder(dict[str, Any]).decode


def work(hook: bytes) -> str:
    """Keep one hook's events in the current folder, and those of hooks that arrive meanwhile.

    Reports the outcome of the first. The caller holds the lock.
    """
    checkouts = Checkouts()
    with closing(Segment(".")) as segment:
        output = _keep(hook, segment, checkouts)[1]
        for connection in _connections():
            with connection, suppress(OSError):
                connection.settimeout(_GIVING_S)
                answer, _ = _keep(_received(connection), segment, checkouts)
                connection.sendall(answer)
    return output


def read(hook: bytes, checkouts: Checkouts) -> tuple[str, list[Event]]:
    """Whose hook it is, "" when that is unknown, and its content.

    Raises ValueError for what is no hook, InvalidRecord (one of them) for what cannot be true.
    """
    before, _, text = hook.partition(b"\n")
    product, event, came_ms = before.decode().split("\t")
    try:
        payload = _decode(text)
    except RecursionError as fault:
        raise ValueError("the JSON is nested too deeply") from fault
    agent = recognition.by_product(product) or recognition.find_hook(payload)
    if agent is None:
        return "", []
    intake = Intake()
    agent.hook(event or None, payload, int(came_ms), intake)
    checkout = checkouts.of(payload.get("cwd"))
    events = intake.events
    if checkout is not None:
        for record in events:
            record.repo = record.repo or checkout.repo
            record.branch = record.branch or checkout.branch
    return agent.product, events


def _keep(hook: bytes, segment: Segment, checkouts: Checkouts) -> tuple[bytes, str]:
    """The answer to the process that gave the hook, and what became of it in words."""
    try:
        product, events = read(hook, checkouts)
    except (ValueError, msgspec.MsgspecError, InvalidRecord) as fault:
        # A decoder's words may quote what it decodes; what is not true has words of ours.
        return TAKEN, f"not kept: {fault if isinstance(fault, InvalidRecord) else 'no JSON object'}"
    except Exception as fault:
        # Another one's hook must not suffer from this one, whatever an agent has sent.
        return TAKEN, f"not kept: {type(fault).__name__}"
    if not product:
        return TAKEN, "not kept: no agent is known to give such a hook"
    if not segment.add(events):
        return REFUSED, "not kept: too much waits to be sent already, or the disk is full"
    kinds = ", ".join(event.kind for event in events) or "nothing that is counted"
    return TAKEN, f"{product}: {kinds}"


def _connections() -> Iterator[socket.socket]:
    """Senders of hooks, until none has connected for a while."""
    try:
        listener = socket.socket(socket.AF_UNIX)
    except (OSError, AttributeError):
        # A system without such sockets: everybody waits for the lock instead.
        return
    with listener:
        try:
            with suppress(FileNotFoundError):
                os.unlink(SOCKET)
            listener.bind(SOCKET)
        except OSError:
            return
        listener.listen(_WAITING_MAX)
        listener.settimeout(_IDLE_S)
        until = time.monotonic() + _LIFE_S
        try:
            while time.monotonic() < until:
                yield listener.accept()[0]
        except TimeoutError:
            pass
        finally:
            os.unlink(SOCKET)


def _received(connection: socket.socket) -> bytes:
    """Everything that is passed; its length is what the sender's own check allowed."""
    parts = []
    size = 0
    while size <= SIZE_MAX + _HEAD_MAX and (part := connection.recv(2**16)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)
