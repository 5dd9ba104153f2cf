"""Processes that parse files, each killed and begun anew when a file costs it too much.

Source: wiki reference, 17.2.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import msgspec

from stationmaster.code import worker

SECONDS_MAX = 5.0
"""For one file."""
_AHEAD = 64
"""Files that are read before their turn."""


class Pool:
    """`facts` of files, by as many processes as there are processors. Use as a context manager."""

    def __init__(self, size: int | None = None) -> None:
        self._size = size or min(8, os.cpu_count() or 1)
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._threads = ThreadPoolExecutor(self._size)
        self._workers: list[_Worker] = []

    def __enter__(self) -> Pool:
        for _ in range(self._size):
            made = _Worker()
            self._workers.append(made)
            self._idle.put(made)
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(cancel_futures=True)
        for each in self._workers:
            each.close()

    def read(self, files: Iterable[tuple[str, str, bytes]]) -> Iterator[tuple[str, bytes | None]]:
        """For each key, language and content: the key and the encoded FileFacts, in their order;
        None for a file that took too long or ended its process."""
        waiting = []
        for key, language, data in files:
            waiting.append((key, self._threads.submit(self._one, language, data)))
            if len(waiting) >= _AHEAD:
                first, future = waiting.pop(0)
                yield first, future.result()
        for first, future in waiting:
            yield first, future.result()

    def _one(self, language: str, data: bytes) -> bytes | None:
        parser = self._idle.get()
        try:
            return parser.ask(language, data)
        finally:
            self._idle.put(parser)


class _Worker:
    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, language: str, data: bytes) -> bytes | None:
        if self._process is None or self._process.poll() is not None:
            self._process = _start()
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(SECONDS_MAX, process.kill)
        timer.start()
        try:
            worker.give(process.stdin, msgspec.msgpack.encode((language, data)))
            answer = worker.take(process.stdout)
        except OSError:
            answer = None
        finally:
            timer.cancel()
        if answer is None:
            self.close()
        return answer

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own program and words
        [sys.executable, "-m", worker.__name__],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
