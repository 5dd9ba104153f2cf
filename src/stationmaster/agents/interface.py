"""What the module of every agent implements, and what decoders and readers of transcripts give it.
An agent makes its events from blanks: a copy of a half-filled event costs a third of building one
from keywords.

The list of agents, to which a new one is added, is `cards.PRODUCTS`.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, cast

import msgspec

from stationmaster.agents.cards.ranks import precedence
from stationmaster.events.model import Event, Kind, Source, merge, path_hash

DROP_REASONS = (
    "redundant",  # the same fact arrives in a better record
    "not_counted",  # known, and no report needs it
    "unknown_record",  # this product's, but of a name we do not know
    "unknown_source",  # no agent module knows the sender
    "invalid",  # a value that cannot be true: rejected, and reported to the sender
)
"""The closed set of reasons for which a record becomes no event."""


class InvalidRecord(ValueError):
    """A record whose values cannot be true (negative tokens, 2^63 tokens, text for a number)."""


class NoEvent(Exception):
    """A record that becomes no event, for the one of DROP_REASONS that it is raised with."""


class Resource(msgspec.Struct, gc=False):
    """The sender of OTLP records: the resource's attributes, and what every agent needs of them."""

    service_name: str
    service_version: str | None
    attributes: dict[str, Any]
    received_ms: int
    senders: dict[Any, Any] = {}
    """What an agent has read of its sessions, by the values that it read it from: the same for
    hundreds of records, and as short-lived as the request, so that its size is bounded."""


class Attributes(Protocol):
    """The attributes of a record: each is decoded when it is asked for, and no other one."""

    def get(self, key: str, default: Any = None, /) -> Any:
        """The value of an attribute."""


class Log(msgspec.Struct, gc=False):
    """One OTLP log record."""

    name: str
    """The attribute `event.name`, else a body that is text, else "": with or without the agent's
    prefix (`claude_code.`), as the agent sends it."""
    time_ms: int
    """The first that is there: `event.timestamp`, the record's time, the observed time, the time of
    receipt."""
    ts_source: str
    """Which of these it is."""
    attributes: Attributes


class Span(msgspec.Struct, gc=False):
    """One OTLP span; ids are lower-case hex, times UTC milliseconds, `is_error` its status.

    `parent_id` is the id of the span that this one is a part of, "" where there is none.
    """

    name: str
    start_ms: int
    end_ms: int
    attributes: Attributes
    trace_id: str
    span_id: str
    is_error: bool
    parent_id: str = ""


class Point(msgspec.Struct, gc=False):
    """One data point of a sum or histogram (`value` is then the histogram's sum).

    `series` identifies the point's series within its sender: metric name and sorted attributes.
    """

    name: str
    value: float
    is_delta: bool
    start_ms: int
    time_ms: int
    attributes: dict[str, Any]
    series: str


class Intake:
    """Collects what became of the records of one delivery: events, and drops by reason.

    An event id that is added twice is kept once: the copy of the better source, else the first,
    with the gaps filled from the other.
    """

    __slots__ = ("_by_id", "drops", "folders", "invalid", "resuming")

    def __init__(self) -> None:
        self._by_id: dict[str, Event] = {}
        self.drops: dict[str, int] = {}
        self.invalid: list[str] = []
        self.resuming: dict[str, str] = {}
        """By sender the id of the last event that belongs to the session which is named next."""
        self.folders: dict[str, str] = {}
        """Folders by the hash that events have of them, for a reader on the machine itself:
        no event has them."""

    @property
    def events(self) -> list[Event]:
        """The events so far, one for each id, in the order of their first copies."""
        return list(self._by_id.values())

    def __len__(self) -> int:
        return len(self._by_id)

    def __contains__(self, event_id: object) -> bool:
        return event_id in self._by_id

    def take_back(self, event_id: str) -> Event | None:
        """Remove the event of this id; None where there is none."""
        return self._by_id.pop(event_id, None)

    def add(self, event: Event) -> None:
        """Add an event, or merge it with the one that has its id."""
        earlier = self._by_id.setdefault(event.event_id, event)
        if earlier is event:
            return
        if event.source_rank < earlier.source_rank:
            self._by_id[event.event_id] = event
            earlier, event = event, earlier
        merge(earlier, event)

    def add_if(self, event: Event | None) -> None:
        """Add an event; None adds nothing."""
        if event is not None:
            self.add(event)

    def add_all(self, events: Iterable[Event]) -> None:
        """Add several events."""
        for event in events:
            self.add(event)

    def folder(self, session_id: str, path: str) -> str:
        """What an event reports about a folder."""
        hashed = path_hash(session_id, path)
        self.folders[hashed] = path
        return hashed

    def keep(self, is_wanted: Callable[[Event], bool]) -> None:
        """Let go of all other events."""
        self._by_id = {key: event for key, event in self._by_id.items() if is_wanted(event)}

    def drop(self, reason: str, count: int = 1) -> None:
        """Count records that become no event, by one of DROP_REASONS."""
        self.drops[reason] = self.drops.get(reason, 0) + count

    def reject(self, why: str) -> None:
        """Count one invalid record, and keep the reason for its sender."""
        self.drop("invalid")
        self.invalid.append(why)


class Nothing(msgspec.Struct):
    """The state of a reader that reads everything again."""


class Resumable:
    """What reads a session file and may be resumed. `_now` is its state: identifiers and
    counters, never content."""

    _now: msgspec.Struct

    def state(self) -> dict[str, Any]:
        """A small JSON-able snapshot that, passed to the agent's `transcript()` again, continues
        where this reader stopped."""
        snapshot: dict[str, Any] = msgspec.to_builtins(self._now)
        return snapshot


class Transcript(Resumable, ABC):
    """A reader of one session file, fed whole lines in order."""

    @abstractmethod
    def feed(self, line: bytes, intake: Intake) -> None:
        """Take one line (without its newline). Lines that do not decode count as drops."""

    def feed_lines(self, lines: bytes, intake: Intake) -> None:
        """Take several whole lines together: the same as feeding each, where it can be faster."""
        for line in lines.split(b"\n"):
            self.feed(line, intake)

    def finish(self, intake: Intake) -> None:
        """The end of the file as it is now: emit what waited for a following line."""


def stamp(path: str) -> str:
    """Differs when anything was written to a file, or to the log of a database next to it. Raises
    OSError when the file is missing."""
    real = os.path.realpath(path)
    main, log = os.stat(real), f"{real}-wal"
    # The log of a database that no program has open is missing, or empty.
    written = [main, os.stat(log)] if size(log) else [main]
    return ",".join(f"{file.st_mtime_ns}:{file.st_size}" for file in written)


def size(path: str) -> int:
    """The bytes of a file; 0 where it is not there."""
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


class Document(Resumable, ABC):
    """A reader of a session file that its agent rewrites in place (JSON, SQLite).

    It is read as a whole whenever `stamp` shows that it changed. A reader that is made with a state
    may leave out what was reported already. Repeated events are harmless.
    """

    _path: str
    is_read = True
    """False while `read` has stopped at a piece that is enough for one delivery. Called again it
    continues there; a reader that is made with the state reports everything again."""
    _now: msgspec.Struct = Nothing()

    @abstractmethod
    def read(self, intake: Intake) -> None:
        """Report the current content of the file. Raises OSError; what does not decode counts as
        drops."""

    def stamp(self) -> str:
        """Differs when there is something new to read; costs no more than reading times and
        sizes of files. Raises OSError."""
        return stamp(self._path)


class SessionFile(NamedTuple):
    """A kind of session file: what makes its reader, from a path and the state of an earlier one,
    a pattern of its path, with `/` between folders, and whether the first 64 KiB of a file, and its
    first line, are those of one."""

    reader: Callable[[str, dict[str, Any] | None], Transcript | Document]
    path: str
    is_one: Callable[[bytes, bytes], bool]


def has(text: bytes, *marks: bytes) -> bool:
    """Does a text have all of these marks?"""
    return all(mark in text for mark in marks)


Record = TypeVar("Record", Log, Span)
Reader = Callable[[Resource, Record, Intake], None]


class ByName(Generic[Record]):
    """Reads records by the reader of what each is called; `other` gives the reason for which one
    of another name is dropped."""

    def __init__(
        self,
        readers: Mapping[str, Reader[Record]],
        called: Callable[[str], str],
        other: Callable[[str], str],
    ) -> None:
        self._readers: Mapping[str, Reader[Record]] = readers
        self._called, self._other = called, other

    def knows(self, name: str) -> bool:
        """Is a record of this name read? Of any other one only the name is."""
        return self._called(name) in self._readers

    def __call__(self, resource: Resource, record: Record, intake: Intake) -> None:
        """Turn one record into events or a drop. Raises InvalidRecord."""
        reader = self._readers.get(self._called(record.name))
        try:
            if reader is None:
                raise NoEvent(self._other(record.name))
            reader(resource, record, intake)
        except NoEvent as none:
            intake.drop(str(none))


_UNREAD: ByName[Any] = ByName({}, str, lambda _: "unknown_record")
"""Of an agent that exports no such records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """What reads the records of an agent: `AGENT` of its package. One that exports nothing leaves
    out what is of OTLP. Its card defines whose a record is.

    `points` takes all points of one resource together: figures of one call may be spread over them.

    `files` are the kinds of its session files; the last one is read in a file of any other name.

    `hook` takes one hook's JSON, which arrived at a time in milliseconds, with the name that the
    configuration gives it, for agents whose JSON does not have it. Only counts and names of it are
    reported. Raises InvalidRecord.
    """

    product: str
    files: tuple[SessionFile, ...]
    hook: Callable[[str | None, dict[str, Any], int, Intake], None]
    log: ByName[Log] = _UNREAD
    span: ByName[Span] = _UNREAD
    points: Callable[[Resource, Sequence[Point], Intake], None] = lambda _, points, intake: (
        intake.drop("unknown_record", len(points))
    )

    def is_transcript(self, path: str, head: bytes) -> bool:
        """Is a file one of its session files, by path and first 64 KiB?"""
        file = self._file(path)
        return file is not None and file.is_one(head, head.split(b"\n", 1)[0])

    def transcript(self, path: str, state: dict[str, Any] | None = None) -> Transcript | Document:
        """The reader of a session file, which continues from the state of an earlier one."""
        return (self._file(path) or self.files[-1]).reader(path, state)

    def _file(self, path: str) -> SessionFile | None:
        place = path.replace("\\", "/")
        return next((file for file in self.files if re.search(file.path, place)), None)


Blank = Callable[[], Event]


def blank(product: str, kind: Kind, source: Source) -> Blank:
    """A maker of fresh events of one kind from one source, with its rank and group."""
    rank, group = precedence(product, kind, source)
    event = Event(
        event_id="",
        kind=kind,
        ts=0,
        product=product,
        source=source,
        source_rank=rank,
        source_group=group,
    )
    return blank_of(event)


def blank_of(event: Event) -> Blank:
    """A maker of copies of an event."""
    # msgspec gives every Struct a `__copy__`, which its type stubs leave out.
    return cast(Blank, event.__copy__)  # type: ignore[attr-defined,unused-ignore]


class Prepared(dict[Kind, Blank]):
    """Makers of events that begin as those that `make` gives, by kind; each is made when first
    asked, and again once it was cleared."""

    def __init__(self, make: Callable[[Kind], Event]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, kind: Kind) -> Blank:
        maker = self[kind] = blank_of(self._make(kind))
        return maker


class Blanks(Prepared):
    """Makers of the events of one source of an agent."""

    def __init__(self, product: str, source: Source) -> None:
        super().__init__(lambda kind: blank(product, kind, source)())
