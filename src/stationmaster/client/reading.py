"""Reading session files into events, a few at a time, in as many processes as help."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from stationmaster.agents import registry
from stationmaster.agents.dialect import Intake
from stationmaster.client.progress import Position, fingerprint
from stationmaster.client.sources import SessionFile
from stationmaster.errors import BadRequest

_EVENTS_PER_DELIVERY = 5_000
_BYTES_WORTH_A_PROCESS = 24 * 2**20
_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


class Sink(Protocol):
    """Where events go. `deliver` returns once they are durable there, or raises."""

    def deliver(self, product: str, intake: Intake) -> None: ...
    def close(self) -> None: ...


@dataclass
class Summary:
    """What was read: files, bytes, events by kind, tokens by counter, dropped records by reason."""

    files: int = 0
    size_bytes: int = 0
    events: dict[str, int] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_TOKENS, 0))
    drops: dict[str, int] = field(default_factory=dict)

    def note(self, intake: Intake) -> None:
        for event in intake.events:
            self.events[event.kind] = self.events.get(event.kind, 0) + 1
            if event.kind == "model_call":
                for name in _TOKENS:
                    self.tokens[name] += getattr(event, name) or 0
        for reason, count in intake.drops.items():
            self.drops[reason] = self.drops.get(reason, 0) + count

    def add(self, other: Summary) -> None:
        self.files += other.files
        self.size_bytes += other.size_bytes
        for mine, theirs in (
            (self.events, other.events),
            (self.tokens, other.tokens),
            (self.drops, other.drops),
        ):
            for key, count in theirs.items():
                mine[key] = mine.get(key, 0) + count


Find = Callable[[str], Position | None]
Result = tuple[Summary, dict[str, Position]]


def read_all(
    files: list[SessionFile], open_sink: Callable[[], Sink], find: Find, processes: int
) -> Iterator[Result]:
    """Read files and deliver their events; yields what is safely delivered, piece by piece."""
    wanted = min(processes, 1 + sum(file.size for file in files) // _BYTES_WORTH_A_PROCESS)
    if wanted < 2:
        yield from _read(files, open_sink, find)
        return
    shares = _shares(files, wanted)
    # Forked before any thread starts; each process has a sink of its own.
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    children = [
        context.Process(target=_read_into, args=(share, open_sink, find, sender))
        for share in shares[1:]
    ]
    for child in children:
        child.start()
    sender.close()
    yield from _read(shares[0], open_sink, find)
    while True:
        try:
            message = receiver.recv()
        except EOFError:
            break
        if isinstance(message, Exception):
            raise message
        yield message
    for child in children:
        child.join()


def _read_into(share: list[SessionFile], open_sink: Callable[[], Sink], find: Find, pipe) -> None:  # type: ignore[no-untyped-def]
    try:
        for result in _read(share, open_sink, find):
            pipe.send(result)
    except Exception as fault:
        pipe.send(fault)
    finally:
        pipe.close()


def _shares(files: Iterable[SessionFile], count: int) -> list[list[SessionFile]]:
    shares: list[list[SessionFile]] = [[] for _ in range(count)]
    loads = [0] * count
    for file in files:
        least = loads.index(min(loads))
        shares[least].append(file)
        loads[least] += file.size
    return shares


def _read(
    files: Iterable[SessionFile], open_sink: Callable[[], Sink], find: Find
) -> Iterator[Result]:
    sink = open_sink()
    try:
        waiting: dict[str, Intake] = {}
        positions: dict[str, Position] = {}
        summary = Summary()
        for file in files:
            intake = waiting.setdefault(file.product, Intake())
            positions[file.path] = _read_file(file, find(file.path), intake, summary)
            if len(intake) >= _EVENTS_PER_DELIVERY:
                yield _flush(sink, waiting, summary), positions
                waiting, positions, summary = {}, {}, Summary()
        yield _flush(sink, waiting, summary), positions
    finally:
        sink.close()


def _flush(sink: Sink, waiting: dict[str, Intake], summary: Summary) -> Summary:
    for product, intake in waiting.items():
        summary.note(intake)
        sink.deliver(product, intake)
    return summary


def _read_file(
    file: SessionFile, position: Position | None, intake: Intake, summary: Summary
) -> Position:
    agent = registry.by_product(file.product)
    if agent is None:
        raise BadRequest(f"no agent module is called {file.product!r}", code="unknown_agent")
    reader = agent.transcript(file.path, position.state if position else None)
    start = offset = position.offset if position else 0
    with open(file.path, "rb") as lines:
        lines.seek(start)
        for line in lines:
            if not line.endswith(b"\n") and not _is_complete(line):
                # The agent is still writing this line; a later run takes it whole.
                break
            offset += len(line)
            reader.feed(line, intake)
    reader.finish(intake)
    summary.files += 1
    summary.size_bytes += offset - start
    return Position(offset, fingerprint(file.path, offset), reader.state())


def _is_complete(line: bytes) -> bool:
    """Some agents leave out the newline after the last record of a finished session."""
    try:
        msgspec.json.decode(line, type=dict[str, msgspec.Raw])
    except msgspec.DecodeError:
        return False
    return True
