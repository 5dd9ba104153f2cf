"""One scan of a machine after another: what is new in its sessions is read, sent and remembered.

What was sent is remembered only once it is durable at its destination. So whatever ends a look,
the next one repeats a little, which counts once, and misses nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Protocol

from stationmaster.agents.cards.home import Home
from stationmaster.client import locks, private_files, server, spool
from stationmaster.client.collecting import sources, unchanged
from stationmaster.client.collecting.checkouts import Checkouts
from stationmaster.client.collecting.progress import Progress
from stationmaster.client.collecting.reading import CollectionSummary, Sink, read_all
from stationmaster.client.hooks import gate, run
from stationmaster.errors import Conflict

_SAVED_EVERY_S = 2.0
"""Of a long reading, this much at most is sent again after a crash."""


class Destination(Protocol):
    """The target of everything. `name` differs for another server, key or folder."""

    @property
    def name(self) -> str:
        """A part of file names that differs between destinations."""

    @property
    def files(self) -> list[Path] | None:
        """Files that differ where it differs; None where files do not show it."""

    def open(self) -> Sink:
        """A sink of this destination, which the caller closes."""


Advance = Callable[[int], None]
"""Called with how many more bytes were read."""


class Collector:
    """Looks for what is new in a home folder, from `since_ms` (UTC milliseconds) on.

    `folder` is where the client keeps things.
    """

    def __init__(
        self, home: Home, folder: Path, destination: Destination, since_ms: int = 0
    ) -> None:
        self._home = home
        self._hooks = folder / run.FOLDER
        self._server = folder / server.FILE
        self._destination = destination
        self._since_ms = since_ms
        self._state = folder / f"collected-{destination.name}.json"
        self._progress = Progress(self._state, since_ms)
        self._checkouts = Checkouts(since_ms)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Raises Conflict while another process collects for the same destination."""
        self._state.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locks.alone(str(self._state.with_suffix(".lock"))) as is_alone:
            if not is_alone:
                raise Conflict(
                    "another `stationmaster collect` is running for this destination",
                    code="already_collecting",
                )
            private_files.remove_drafts(self._state)
            # What the other one did before it let go.
            self._progress = Progress(self._state, self._since_ms)
            yield

    @property
    def last_news_ms(self) -> int | None:
        """When something new was last collected for this destination; None if never."""
        try:
            return int(self._state.stat().st_mtime * 1000)
        except FileNotFoundError:
            return None

    def find(self) -> sources.Sources:
        """What is new. Nothing is changed by looking."""
        # Looked up again, because people switch branches between two runs.
        self._checkouts = Checkouts(self._since_ms)
        return sources.of_this_machine(self._home, self._progress.is_unread)

    def read(self, listed: sources.Sources, sink: Sink) -> Iterator[CollectionSummary]:
        """Give what is new, and what hooks reported, to a sink, and remember nothing."""
        for file in sorted(spool.waiting(self._hooks)):
            sink.post_events(b"\n".join(spool.lines_of(file)))
        yield CollectionSummary(unreadable=listed.unreadable)
        for part, _ in read_all(
            listed.sessions, lambda: sink, self._progress.find, 1, self._checkouts.fill
        ):
            yield part

    def collect(self, listed: sources.Sources) -> Iterator[CollectionSummary]:
        """Report what is new, and remember it; in pieces. Raises what the destination's sink
        raises.

        Only for who is `alone`.
        """
        yield CollectionSummary(unreadable=listed.unreadable)
        progress = self._progress
        progress.note_others(listed.others)
        if not listed.unreadable:
            progress.keep_only(listed.present)
        is_saved, saved_at = not listed.others, monotonic()
        try:
            if listed.sessions:
                for part, positions in read_all(
                    listed.sessions,
                    self._destination.open,
                    progress.find,
                    processes(),
                    self._checkouts.fill,
                ):
                    progress.note(positions)
                    is_saved = False
                    if monotonic() - saved_at >= _SAVED_EVERY_S:
                        progress.save()
                        is_saved, saved_at = True, monotonic()
                    yield part
        finally:
            if not is_saved:
                progress.save()

    def remember(self, listed: sources.Sources, answer: tuple[str, str]) -> None:
        """Leave a note that all that was found is sent, and the `answer` for nothing new."""
        files = self._destination.files
        if files is None or self._since_ms:
            return
        further = [str(path) for path in (self._state, self._server, *files)]
        unchanged.remember(self._home, listed.roots, listed.search, further, answer)

    def refresh_gate(self) -> None:
        """Bring up to date what the gate of this machine's agents decides from."""
        folder = str(self._hooks.parent)
        if gate.uses(folder) and gate.is_due(folder):
            # It loads an HTTP client.
            from stationmaster.client.hooks import gate_file

            gate_file.refresh(folder)

    def send_hooks(self) -> None:
        """Send what hooks reported while the server was away. Raises what the sink raises."""
        if not any(spool.waiting(self._hooks)):
            return
        sink = self._destination.open()
        try:
            spool.send(self._hooks, sink.post_events)
        finally:
            sink.close()


def processes() -> int:
    """How many processes read in parallel."""
    return min(os.cpu_count() or 1, 8) if hasattr(os, "fork") else 1
