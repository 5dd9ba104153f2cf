"""From the JSON of hooks to events on the server: kept, made into counts and names, sent.

A folder holds one file for each hook that waits (`.hook`), and files of events that wait for the
server (`.events`, one JSON a line). Every step leaves either what was there or what comes of it,
and an event that is sent twice counts once, so a process that dies in between loses nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from stationmaster.agents import registry
from stationmaster.agents.dialect import Intake, InvalidRecord
from stationmaster.client import server
from stationmaster.client.checkouts import Checkouts
from stationmaster.errors import OperatorError, StationmasterError
from stationmaster.events.model import Event

_HOOKS_AT_ONCE = 1_000
_EVENTS_AT_ONCE = 5_000
_decode = msgspec.json.Decoder(dict[str, Any]).decode
_encode = msgspec.json.Encoder().encode


def work(folder: str) -> bool:
    """Do all there is to do; False when events wait because no server takes them now."""
    place = Path(folder)
    prepare(place)
    known = server.load(place.parent)
    if known is None:
        return False
    from stationmaster.client.sending import HttpSink

    sink = HttpSink(known.url, known.key)
    try:
        send(place, sink.post_events)
    except StationmasterError:
        return False
    finally:
        sink.close()
    return True


def has_fresh(folder: str) -> bool:
    """Was a hook kept since?"""
    return any(_named(Path(folder), ".hook"))


def waiting(folder: Path) -> int:
    """How many hooks and files of events wait."""
    return sum(1 for _ in _named(folder, ".hook")) + sum(1 for _ in _named(folder, ".events"))


def prepare(folder: Path) -> None:
    """Make events of every hook that waits."""
    checkouts = Checkouts()
    hooks = sorted(_named(folder, ".hook"))
    for start in range(0, len(hooks), _HOOKS_AT_ONCE):
        some = hooks[start : start + _HOOKS_AT_ONCE]
        intakes: dict[str, Intake] = {}
        for hook in some:
            read(hook.read_bytes(), intakes, checkouts)
        events = [event for intake in intakes.values() for event in intake.events]
        if events:
            _write(some[0].with_suffix(".events"), events)
        for hook in some:
            hook.unlink(missing_ok=True)


def read(kept: bytes, intakes: dict[str, Intake], checkouts: Checkouts) -> None:
    """Add what one kept hook tells to the intake of its agent; nothing where that is unknown."""
    head, _, text = kept.partition(b"\n")
    product, event, came = head.decode().split("\t")
    try:
        given = _decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return
    agent = registry.by_product(product) or registry.find_hook(given)
    if agent is None:
        return
    intake = Intake()
    try:
        agent.hook(event or None, given, int(came) // 1_000_000, intake)
    except InvalidRecord as fault:
        intake.reject(str(fault))
    checkout = checkouts.of(given.get("cwd"))
    whole = intakes.setdefault(agent.product, Intake())
    for told in intake.events:
        if checkout is not None:
            told.repo = told.repo or checkout.repo
            told.branch = told.branch or checkout.branch
        whole.add(told)


def send(folder: Path, post: Any) -> None:
    """Send every file of events, oldest first; each is removed once it is acknowledged.

    Raises what `post` raises; then the files stay, but for events that the server refuses: nobody
    can send those better.
    """
    for file in sorted(_named(folder, ".events")):
        lines = file.read_bytes().splitlines()
        for start in range(0, len(lines), _EVENTS_AT_ONCE):
            try:
                post(b"\n".join(lines[start : start + _EVENTS_AT_ONCE]))
            except OperatorError as fault:
                if fault.code != "events_refused":
                    raise
        file.unlink(missing_ok=True)


def _write(path: Path, events: Iterable[Event]) -> None:
    draft = path.with_suffix(".part")
    with open(draft, "wb") as file:
        file.writelines(_encode(event) + b"\n" for event in events)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _named(folder: Path, suffix: str) -> Iterator[Path]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(suffix):
                    yield Path(entry.path)
    except FileNotFoundError:
        return


if __name__ == "__main__":
    work(sys.argv[1])
