"""Reading session files into events, a few at a time, in as many processes as help."""

from __future__ import annotations

import gc
import signal
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

import msgspec

from stationmaster.agents import recognition
from stationmaster.agents.interface import Agent, Document, Intake, Transcript
from stationmaster.client import locks
from stationmaster.client.collecting.progress import UNFINISHED, Position, fingerprint
from stationmaster.client.collecting.sources import SessionFile, unknown_agent
from stationmaster.errors import OperatorError, StationmasterError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

_EVENTS_PER_DELIVERY = 5_000
_BLOCK_BYTES = 2**20
_BYTES_WORTH_A_PROCESS = 24 * 2**20
_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
_figures = attrgetter(*_TOKENS)


class Sink(Protocol):
    """Where events go. Each returns once they are durable there, or raises."""

    def deliver(self, product: str, intake: Intake) -> None:
        """Take the events that were collected for one agent."""

    def post_events(self, lines: bytes) -> None:
        """Take events that are written already, one JSON a line."""

    def close(self) -> None:
        """Let go of connections and files."""


@dataclass
class CollectionSummary:
    """What was read: files, bytes, events by kind and agent, tokens by counter, drops by reason."""

    files: int = 0
    size_bytes: int = 0
    unreadable: list[str] = field(default_factory=list)
    """Files and folders that may not be read, or not now."""
    events: dict[str, int] = field(default_factory=dict)
    agents: dict[str, int] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_TOKENS, 0))
    drops: dict[str, int] = field(default_factory=dict)

    def note(self, intake: Intake) -> None:
        """Count the events and drops of an intake, and the tokens of its model calls."""
        events = intake.events
        for kind, count in Counter([event.kind for event in events]).items():
            self.events[kind] = self.events.get(kind, 0) + count
        for agent, count in Counter([event.product for event in events]).items():
            self.agents[agent] = self.agents.get(agent, 0) + count
        calls = [event for event in events if event.kind == "model_call"]
        for name, figures in zip(_TOKENS, zip(*map(_figures, calls), strict=True), strict=False):
            self.tokens[name] += sum(filter(None, figures))
        for reason, count in intake.drops.items():
            self.drops[reason] = self.drops.get(reason, 0) + count

    def add(self, other: CollectionSummary) -> None:
        """Add the figures of another summary to this one."""
        self.files += other.files
        self.size_bytes += other.size_bytes
        self.unreadable += other.unreadable
        for mine, theirs in (
            (self.events, other.events),
            (self.agents, other.agents),
            (self.tokens, other.tokens),
            (self.drops, other.drops),
        ):
            for key, count in theirs.items():
                mine[key] = mine.get(key, 0) + count


Find = Callable[[str], Position | None]
"""Where reading stopped in a file, for readers that continue; None reads whole files, once."""
Result = tuple[CollectionSummary, dict[str, Position]]
Refine = Callable[[Intake], None]
"""What is done to every delivery before it leaves."""


def _as_it_is(_: Intake) -> None:
    pass


def read_all(
    files: list[SessionFile],
    open_sink: Callable[[], Sink],
    find: Find | None,
    processes: int,
    refine: Refine = _as_it_is,
) -> Iterator[Result]:
    """Read files and deliver their events; yields what is safely delivered, piece by piece.

    Raises what the sink raises, from any process.
    """
    process_count = min(processes, 1 + sum(file.size for file in files) // _BYTES_WORTH_A_PROCESS)
    if process_count < 2:
        return _read(files, open_sink, find, refine)
    return _read_in_processes(_shares(files, process_count), (open_sink, find, refine))


def _read_in_processes(
    shares: list[list[SessionFile]], how: tuple[Callable[[], Sink], Find | None, Refine]
) -> Iterator[Result]:
    # Few sessions need no other process.
    from multiprocessing import connection, get_context

    # Forked before any thread starts; each process has a sink and a pipe of its own.
    context = get_context("fork")
    children: dict[Connection, ForkProcess] = {}
    try:
        for share in shares:
            receiver, sender = context.Pipe(duplex=False)
            child = context.Process(target=_read_into, args=(share, how, sender))
            child.start()
            sender.close()
            children[receiver] = child
        yield from _received(children, connection.wait)
    finally:
        for receiver, child in children.items():
            receiver.close()
            child.terminate()
            child.join()


def _received(
    children: dict[Connection, ForkProcess], wait: Callable[[list[Connection]], list[Any]]
) -> Iterator[Result]:
    reading = dict(children)
    while reading:
        for receiver in wait(list(reading)):
            try:
                message = receiver.recv()
            except EOFError:
                child = reading.pop(receiver)
                child.join()
                if child.exitcode != 0:
                    raise OperatorError(
                        f"a reading process ended with code {child.exitcode}; the next run reads "
                        f"again what was not delivered",
                        code="reader_ended",
                    ) from None
                continue
            if isinstance(message, Exception):
                raise message
            yield message


def _read_into(
    share: list[SessionFile],
    how: tuple[Callable[[], Sink], Find | None, Refine],
    pipe: Connection,
) -> None:
    # What only one process may do is the parent's: with it ends what it holds.
    locks.let_go()
    # Ctrl-C reaches every process; the parent alone ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # Reading makes no cycles, and looking for them costs a tenth of the time.
    gc.disable()
    try:
        for result in _read(share, *how):
            pipe.send(result)
    except (StationmasterError, OSError) as fault:
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
    return [share for share in shares if share]


class _Batch:
    """What was read and not yet delivered, by product, and how far each file was read with it."""

    def __init__(self) -> None:
        self._intakes: dict[str, Intake] = {}
        self.positions: dict[str, Position] = {}
        self.summary = CollectionSummary()

    def intake(self, product: str) -> Intake:
        """The intake of an agent, which is made where there is none."""
        return self._intakes.setdefault(product, Intake())

    def is_full(self) -> bool:
        """True from 5,000 events on, those of all agents together."""
        return sum(map(len, self._intakes.values())) >= _EVENTS_PER_DELIVERY

    def deliver(self, sink: Sink, refine: Refine) -> Result:
        """Refine, count and deliver every intake; what it was, and how far files were read."""
        for product, intake in self._intakes.items():
            refine(intake)
            self.summary.note(intake)
            sink.deliver(product, intake)
        return self.summary, self.positions


def _read(
    files: Iterable[SessionFile], open_sink: Callable[[], Sink], find: Find | None, refine: Refine
) -> Iterator[Result]:
    sink = open_sink()
    try:
        batch = _Batch()
        for file in files:
            reading = _reading(file, find, batch)
            while reading is not None and not reading.is_done:
                reading.go_on(batch)
                if batch.is_full():
                    yield batch.deliver(sink, refine)
                    batch = _Batch()
        yield batch.deliver(sink, refine)
    finally:
        sink.close()


def _reading(file: SessionFile, find: Find | None, batch: _Batch) -> _Reading | None:
    """A session file on its way into batches, from where reading it stopped; None where it may not
    be read."""
    agent = recognition.by_product(file.product)
    if agent is None:
        raise unknown_agent(file.product)
    try:
        position = find(file.path) if find else None
    except OSError:
        batch.summary.unreadable.append(file.path)
        return None
    reader, offset = _reader(agent, file.path, position)
    if isinstance(reader, Document):
        return _DocumentReading(file, find is not None, reader)
    return _LineReading(file, find is not None, reader, offset)


class _Reading(ABC):
    """One session file on its way into batches, which may be several for a long one."""

    def __init__(self, file: SessionFile, is_continued: bool) -> None:
        self._file = file
        self._is_continued = is_continued
        self._is_begun = False
        self.is_done = False

    def go_on(self, batch: _Batch) -> None:
        """Read to the end of the file as it is now, or until the batch is full."""
        try:
            position = self._read(batch, batch.intake(self._file.product))
        except FileNotFoundError:
            # Agents delete old sessions; this one was deleted meanwhile.
            self.is_done = True
            return
        except OSError:
            # It may not be read, or its agent is writing; the next run looks again.
            batch.summary.unreadable.append(self._file.path)
            self.is_done = True
            return
        if position is not None:
            batch.positions[self._file.path] = position
        batch.summary.files += not self._is_begun
        self._is_begun = True

    @abstractmethod
    def _read(self, batch: _Batch, intake: Intake) -> Position | None:
        """Where reading stopped; None when no reader continues. Raises OSError."""


class _LineReading(_Reading):
    """A file that grows by lines."""

    def __init__(
        self, file: SessionFile, is_continued: bool, reader: Transcript, offset: int
    ) -> None:
        super().__init__(file, is_continued)
        self._reader = reader
        self._offset = offset

    def _read(self, batch: _Batch, intake: Intake) -> Position | None:
        path = self._file.path
        with open(path, "rb") as opened:
            opened.seek(self._offset)
            for lines in _whole_lines(opened):
                self._reader.feed_lines(lines, intake)
                self._offset += len(lines)
                batch.summary.size_bytes += len(lines)
                if batch.is_full():
                    break
            else:
                self._reader.finish(intake)
                self.is_done = True
        if not self._is_continued:
            return None
        look = self._file.look if self.is_done else UNFINISHED
        digest = fingerprint(path, self._offset)
        return Position(self._offset, digest, self._reader.state(), look=look)


class _DocumentReading(_Reading):
    """A file that its agent rewrites: as a whole it is as new as its stamp before it was read."""

    def __init__(self, file: SessionFile, is_continued: bool, document: Document) -> None:
        super().__init__(file, is_continued)
        self._document = document
        self._stamp = UNFINISHED

    def _read(self, batch: _Batch, intake: Intake) -> Position | None:
        document = self._document
        if not self._is_begun:
            # What is written from now on makes another stamp.
            self._stamp = document.stamp()
            batch.summary.size_bytes += self._file.size
        document.read(intake)
        while not (document.is_read or batch.is_full()):
            document.read(intake)
        self.is_done = document.is_read
        if not self._is_continued:
            return None
        stamp = self._stamp if self.is_done else UNFINISHED
        digest = fingerprint(self._file.path, 0)
        return Position(0, digest, document.state(), stamp, look=self._file.look)


def _reader(
    agent: Agent, path: str, position: Position | None
) -> tuple[Transcript | Document, int]:
    if position is not None:
        try:
            return agent.transcript(path, position.state), position.offset
        except msgspec.ValidationError:
            # Another version wrote it; reading everything again is harmless.
            pass
    return agent.transcript(path, None), 0


def _whole_lines(opened: BinaryIO) -> Iterator[bytes]:
    """Blocks of whole lines; a line that an agent is still writing is left for a later run."""
    begun: list[bytes] = []
    while block := opened.read(_BLOCK_BYTES):
        end = block.rfind(b"\n") + 1
        if end:
            yield b"".join((*begun, block[:end]))
            begun = [block[end:]]
        else:
            begun.append(block)
    last = b"".join(begun)
    if last and _is_complete(last):
        yield last


def _is_complete(line: bytes) -> bool:
    """Some agents leave out the newline after the last record of a finished session."""
    try:
        msgspec.json.decode(line, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True
