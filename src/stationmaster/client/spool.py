"""What hooks reported and the server does not have yet: files of events, one JSON a line.

A worker writes one file (`.part`), which is ready (`.events`) when it ends; of a file that a killed
one left behind the last line may be half written, and is left out. An event that is sent twice
counts once, so a process that dies in between loses nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from stationmaster.client import server
from stationmaster.client.locks import alone
from stationmaster.errors import OperatorError, StationmasterError
from stationmaster.events.model import Event

BYTES_MAX = 64 * 2**20
"""What may wait: some 200,000 events. What arrives then is not kept, and counted as dropped."""
_EVENTS_AT_ONCE = 5_000
_REST_S = 60.0
"""After a server was away, how long no hook tries again."""
_SENDING, _AWAY, _DROPPED = "sending", "away", "dropped.json"
_encode = msgspec.json.Encoder().encode


class Dropped(msgspec.Struct):
    """Hooks that were not kept because too much waited, ever, and when the last one arrived
    (ms)."""

    hooks: int = 0
    last_ms: int | None = None


class SpoolContents(msgspec.Struct):
    """What waits: events (`bytes` of them), and what was dropped."""

    events: int
    bytes: int
    dropped: Dropped


class Segment:
    """The file that one worker writes. It takes over what killed ones left; one at a time may."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        for left in _named(self._folder, ".part"):
            left.replace(left.with_suffix(".events"))
        self._room = BYTES_MAX - sum(map(_size, waiting(self._folder)))
        self._path = self._folder / f"{time.time_ns()}-{os.getpid()}.part"
        self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        self._size = 0

    def add(self, events: Iterable[Event]) -> bool:
        """Keep what one hook reported, whole or not at all; False where there is no room."""
        lines = b"".join(_encode(event) + b"\n" for event in events)
        if self._size + len(lines) <= self._room:
            try:
                rest = lines
                while rest:
                    rest = rest[os.write(self._file, rest) :]
            except OSError:
                # Nothing may follow half a line.
                os.ftruncate(self._file, self._size)
                os.lseek(self._file, self._size, os.SEEK_SET)
            else:
                self._size += len(lines)
                return True
        with suppress(OSError):
            _count_dropped(self._folder)
        return False

    def close(self) -> None:
        """Make the file durable and ready to be sent; an empty one is removed."""
        os.fsync(self._file)
        os.close(self._file)
        if self._size:
            self._path.replace(self._path.with_suffix(".events"))
        else:
            self._path.unlink()


def standing(folder: Path) -> SpoolContents:
    """What waits in a folder, and what was dropped; nothing where there is no such folder."""
    files = list(waiting(folder))
    events = sum(len(lines_of(file)) for file in files)
    return SpoolContents(events, sum(map(_size, files)), _read(folder))


def deliver(folder: str) -> None:
    """Send to the server that is named, unless it was away a moment ago; never waits for it long.

    One process does so at a time. What could not be sent stays.
    """
    place = Path(folder)
    connection = server.load(place.resolve().parent)
    if connection is None or not any(waiting(place)) or _rests(place):
        return
    from stationmaster.client.collecting.sending import HttpSink

    sink = HttpSink(connection.url, connection.key, attempts_max=1)
    try:
        # What others kept while this one was about to end is sent, too.
        while any(waiting(place)) and send(place, sink.post_events):
            pass
    except StationmasterError:
        (place / _AWAY).touch(mode=0o600)
    finally:
        sink.close()


def send(folder: Path, post: Callable[[bytes], None]) -> bool:
    """Send every file of events, oldest first; each is removed once it is acknowledged.

    `post` takes events, one JSON a line. What it raises is raised; then the files stay, except
    events that the server refuses: those would be refused again. False where another process is
    sending already, or nothing was ever kept.
    """
    if not folder.is_dir():
        return False
    with alone(str(folder / _SENDING)) as is_alone:
        if not is_alone:
            return False
        files: list[Path] = []
        lines: list[bytes] = []
        for file in sorted(waiting(folder)):
            lines += lines_of(file)
            files.append(file)
            if len(lines) >= _EVENTS_AT_ONCE:
                _send(files, lines, post)
                files, lines = [], []
        _send(files, lines, post)
        (folder / _AWAY).unlink(missing_ok=True)
    return True


def lines_of(file: Path) -> list[bytes]:
    """The whole lines of a file of events; none of one that was sent meanwhile."""
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return []
    return content[: content.rfind(b"\n") + 1].splitlines()


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _send(files: list[Path], lines: list[bytes], post: Callable[[bytes], None]) -> None:
    for start in range(0, len(lines), _EVENTS_AT_ONCE):
        try:
            post(b"\n".join(lines[start : start + _EVENTS_AT_ONCE]))
        except OperatorError as fault:
            if fault.code != "events_refused":
                raise
    for file in files:
        file.unlink(missing_ok=True)


def _rests(folder: Path) -> bool:
    try:
        age_s = time.time_ns() / 1e9 - (folder / _AWAY).stat().st_mtime
    except FileNotFoundError:
        return False
    return 0 <= age_s < _REST_S


def _count_dropped(folder: Path) -> None:
    dropped = _read(folder)
    draft = folder / f"{_DROPPED}.{os.getpid()}"
    draft.write_bytes(_encode(Dropped(dropped.hooks + 1, time.time_ns() // 1_000_000)))
    draft.replace(folder / _DROPPED)


def _read(folder: Path) -> Dropped:
    try:
        return msgspec.json.decode((folder / _DROPPED).read_bytes(), type=Dropped)
    except (FileNotFoundError, msgspec.DecodeError):
        return Dropped()


def waiting(folder: Path) -> Iterator[Path]:
    """The files of events that wait, in no order."""
    return _named(folder, ".events")


def _named(folder: Path, suffix: str) -> Iterator[Path]:
    try:
        with os.scandir(folder) as entries:
            paths = [entry.path for entry in entries if entry.name.endswith(suffix)]
    except FileNotFoundError:
        return
    yield from map(Path, paths)
