"""Calling a function in a child process, and waiting for what it returns.

Each child has a temporary folder, which is removed also where its parent was killed.
"""

from __future__ import annotations

import fcntl
import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, get_type_hints

import msgspec

from stationmaster import clock
from stationmaster.children import frames, process, worker
from stationmaster.children.limits import Limits, exceeded
from stationmaster.children.messages import (
    Answer,
    Call,
    Exceeded,
    Failed,
    Message,
    Progress,
    Refused,
    Report,
    error_of,
)
from stationmaster.errors import TooLarge, Unavailable

PREFIX = "stationmaster-child-"
_NEW_S = 60
"""A folder that another process has just made may not be locked yet."""


@contextmanager
def folder() -> Iterator[str]:
    """The path of a new empty folder, removed afterwards with all that is in it.

    The folder is locked for as long as this process lives: what the first call of a process finds
    unlocked was left by a process that was killed, and is removed.
    """
    place = Path(tempfile.gettempdir())
    _remove_abandoned(place)
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=place) as path:
        descriptor = _locked(path)
        try:
            yield path
        finally:
            if descriptor is not None:
                os.close(descriptor)


@cache
def _remove_abandoned(place: Path) -> None:
    for path in place.glob(f"{PREFIX}*"):
        with suppress(OSError):
            stat = path.lstat()
            if stat.st_uid != os.getuid() or stat.st_mtime > clock.now_ms() / 1000 - _NEW_S:
                continue
            descriptor = _locked(path)
            if descriptor is not None:
                shutil.rmtree(path, ignore_errors=True)
                os.close(descriptor)


def _locked(path: str | Path) -> int | None:
    """A descriptor that holds the lock of a folder; None where another process holds it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


_LOOK_S = 0.25
_CHUNK = 2**16
_DECODER = msgspec.msgpack.Decoder(Message)
P = ParamSpec("P")
T = TypeVar("T")


class ChildError(Exception):
    """The function raised an unexpected error; the text is the child's traceback."""


def call(
    limits: Limits,
    function: Callable[..., T],
    *arguments: Any,
    report: Report = lambda *_: None,
    look: Callable[[], None] = lambda: None,
) -> T:
    """What a function of a module returns when a child process calls it, within limits.

    Arguments and answer travel as MessagePack and are decoded by the function's annotations. A
    function with a parameter `report` reports progress, which is passed to `report` here. `look` is
    called several times a second; what it or `report` raises ends the child.

    Raises the function's own error where it is one of `errors`, TooLarge (`reader_limit`) for an
    exceeded limit, TooLarge (`reader_crashed`) where it crashed, Unavailable (`reader_ended`) where
    another process ended it, and ChildError.
    """
    encoded = msgspec.msgpack.encode(arguments)
    with folder() as path:
        asked = Call(function.__module__, function.__name__, encoded, limits, path)
        child = process.prepared() or process.start(worker.__name__)
        try:
            conversation = _Conversation(child, limits, report, look)
            content = conversation.hold(frames.encoded(msgspec.msgpack.encode(asked)))
        finally:
            process.end(child)
            process.close((child.stdin, child.stdout))
    answer: T = msgspec.msgpack.decode(content, type=get_type_hints(function)["return"])
    return answer


class _Conversation:
    """Everything that is exchanged with one child, never waiting for it longer than its time."""

    def __init__(
        self,
        child: subprocess.Popen[bytes],
        limits: Limits,
        report: Report,
        look: Callable[[], None],
    ) -> None:
        assert child.stdin is not None
        assert child.stdout is not None
        self._child = child
        self._limits = limits
        self._report = report
        self._look = look
        self._asking, self._answers = child.stdin.fileno(), child.stdout.fileno()
        self._received = bytearray()
        self._until = time.monotonic() + limits.wall_s

    def hold(self, asked: bytes) -> bytes:
        """Send the call; the content of the answer."""
        os.set_blocking(self._asking, False)
        unsent = memoryview(asked)
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._answers, selectors.EVENT_READ)
            waiting.register(self._asking, selectors.EVENT_WRITE)
            while True:
                left = self._until - time.monotonic()
                if left <= 0:
                    raise exceeded("wall_s", self._limits)
                for key, _ in waiting.select(min(_LOOK_S, left)):
                    if key.fd == self._asking:
                        unsent = unsent[self._sent(unsent) :]
                        if not unsent:
                            waiting.unregister(self._asking)
                    elif (content := self._taken()) is not None:
                        return content
                self._look()

    def _sent(self, unsent: memoryview) -> int:
        try:
            return os.write(self._asking, unsent[:_CHUNK])
        except BlockingIOError:
            return 0
        except BrokenPipeError:  # It ended; its status shows why.
            return len(unsent)

    def _taken(self) -> bytes | None:
        """Read what there is; the answer's content once it is here."""
        chunk = os.read(self._answers, _CHUNK)
        if not chunk:
            raise self._death()
        self._received += chunk
        while len(self._received) >= frames.HEAD:
            size = int.from_bytes(self._received[: frames.HEAD], "big")
            if size > self._limits.answer_size:
                raise exceeded("answer_size", self._limits)
            end = frames.HEAD + size
            if len(self._received) < end:
                break
            message = _DECODER.decode(memoryview(self._received)[frames.HEAD : end])
            del self._received[:end]
            if isinstance(message, Answer):
                return message.content
            self._hear(message)
        return None

    def _hear(self, message: Progress | Exceeded | Refused | Failed) -> None:
        if isinstance(message, Progress):
            self._report(message.step[:200], message.done, message.of)
        elif isinstance(message, Exceeded):
            raise exceeded("memory" if message.limit == "memory" else "file_size", self._limits)
        elif isinstance(message, Refused):
            raise error_of(message)
        else:
            raise ChildError(message.traceback)

    def _death(self) -> Exception:
        """Why a child ended without an answer."""
        code = self._child.wait()
        if -code == signal.SIGXCPU:
            return exceeded("cpu_s", self._limits)
        if -code in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            return Unavailable(
                "The process that was reading this was ended from outside.", code="reader_ended"
            )
        return TooLarge(
            "The process that was reading this crashed; its content cannot be read.",
            code="reader_crashed",
        )
