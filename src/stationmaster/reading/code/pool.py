"""Processes that parse files. One for which a file costs too much ends, and a new one continues.

Threads here only wait for their process, so that the caller can do other things meanwhile.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from types import TracebackType
from typing import NamedTuple, Self

import msgspec

from stationmaster.children import frames, process as processes
from stationmaster.reading.code import worker
from stationmaster.reading.code.model import FileFacts

_BATCH_FILES, _BATCH_BYTES = 64, 512 * 1024
"""Files and bytes that are sent to a process in one batch."""
_WORKERS_MAX = 8


class FileToRead(NamedTuple):
    """A file to be read: whatever names it, its language and content."""

    key: str
    language: str
    data: bytes


class FileResult(NamedTuple):
    """The result of one file: `facts` is an encoded FileFacts; where its process ended (`is_whole`
    is False) it has only a status."""

    key: str
    facts: bytes
    is_whole: bool = True


class Pool:
    """Reads files by as many processes as there are processors. Use as a context manager; iterate
    over its results, which are in no order. `files` is read by one thread at a time; the iteration
    raises what it raises."""

    def __init__(self, files: Iterable[FileToRead], size: int | None = None) -> None:
        self._files = iter(files)
        self._taking = Lock()
        self._results: SimpleQueue[FileResult | BaseException | None] = SimpleQueue()
        count = size or min(_WORKERS_MAX, os.cpu_count() or 1)
        self._workers = [_Worker() for _ in range(count)]
        self._threads = [
            Thread(target=self._work, args=(worker,), daemon=True) for worker in self._workers
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in self._workers:
            process.close()
        for thread in self._threads:
            thread.join()

    def __iter__(self) -> Iterator[FileResult]:
        running = len(self._threads)
        while running:
            result = self._results.get()
            if isinstance(result, BaseException):
                raise result
            if result is None:
                running -= 1
            else:
                yield result

    def _work(self, process: _Worker) -> None:
        try:
            while batch := self._batch():
                for result in process.read(batch):
                    self._results.put(result)
        except BaseException as fault:  # The iteration raises it again.
            self._results.put(fault)
        self._results.put(None)

    def _batch(self) -> list[FileToRead]:
        batch: list[FileToRead] = []
        size = 0
        with self._taking:
            while len(batch) < _BATCH_FILES and size < _BATCH_BYTES:
                file = next(self._files, None)
                if file is None:
                    break
                batch.append(file)
                size += len(file.data)
        return batch


class _Worker:
    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._changing = Lock()
        self._is_closed = False

    def read(self, batch: Sequence[FileToRead]) -> Iterator[FileResult]:
        """The facts of each file in order; `timeout` or `failed` for one that ends the process."""
        left = list(batch)
        while left:
            process = self._running()
            if process is None:
                return
            count = 0
            for facts in _answers(process, left):
                yield FileResult(left[count].key, facts)
                count += 1
            left = left[count:]
            if left:
                lost = FileFacts(status="timeout" if worker.ran_out(process.wait()) else "failed")
                yield FileResult(left.pop(0).key, msgspec.msgpack.encode(lost), is_whole=False)

    def close(self) -> None:
        """End the process and start no other."""
        with self._changing:
            self._is_closed = True
            self._end()

    def _running(self) -> subprocess.Popen[bytes] | None:
        """None once it was closed."""
        with self._changing:
            if self._process is not None and self._process.poll() is not None:
                self._end()
            if self._process is None and not self._is_closed:
                self._process = processes.start(worker.__name__)
            return None if self._is_closed else self._process

    def _end(self) -> None:
        if self._process is not None:
            processes.end(self._process)
            processes.close((self._process.stdin, self._process.stdout))
            self._process = None


def _answers(process: subprocess.Popen[bytes], batch: Sequence[FileToRead]) -> Iterator[bytes]:
    """The answers of a process; fewer than there are files where it ended before the last."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        requests = [(file.language, file.data) for file in batch]
        frames.give(process.stdin, msgspec.msgpack.encode(requests))
        for _ in batch:
            answer = frames.take(process.stdout)
            if answer is None:
                break
            yield answer
    except (OSError, ValueError):  # It ended, or was closed meanwhile.
        pass
    else:
        return
    with suppress(OSError):
        process.kill()
