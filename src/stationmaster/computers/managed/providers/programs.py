"""Running a program of a provider: bounded in time and output, ended with what it started."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from stationmaster.children import process as children
from stationmaster.computers.managed.providers.base import Doing, ProviderError
from stationmaster.settings import variable

ANSWER_BYTES_MAX = 64 * 1024
"""What is kept of the output of a program whose output is an answer."""
_LOOK_S = 0.2
_CHUNK = 2**16
_KEPT = ("PATH", "HOME", "LANG")
"""Variables that a program gets of ours; all others may hold secrets."""


class ProgramResult(NamedTuple):
    """`answer` is the beginning of its standard output where that was asked for, else empty."""

    status: int
    answer: bytes


def run(
    command: Sequence[str],
    doing: Doing,
    *,
    content: bytes = b"",
    variables: Mapping[str, str] | None = None,
    wants_answer: bool = False,
) -> ProgramResult:
    """Run a program with `content` as its input. Output is written to the log, standard output to
    the answer where that is wanted.

    Raises ProviderError for a program that is missing or takes too long.
    """
    kept = {name: value for name in _KEPT if (value := variable(name)) is not None}
    # While this process lives it holds the lifeline; once it is killed, so is the program's group.
    watched, lifeline = os.pipe()
    try:
        process = subprocess.Popen(  # noqa: S603 - the operator's program, without a shell
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if wants_answer else subprocess.STDOUT,
            env=kept | dict(variables or {}),
            start_new_session=True,
            pass_fds=(watched,),
        )
        children.kill_at_close(watched, process.pid)
    except OSError as fault:
        os.close(lifeline)
        raise ProviderError(
            f"{command[0]} cannot be run: {fault.strerror or fault}.", code="no_program"
        ) from fault
    finally:
        os.close(watched)
    try:
        return _talk(process, command[0], content, doing, wants_answer)
    finally:
        end(process)
        os.close(lifeline)


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and what it started, and wait for it."""
    # What it has started keeps the number of its group taken, also when it has ended itself.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()


def _talk(
    process: subprocess.Popen[bytes], name: str, content: bytes, doing: Doing, wants_answer: bool
) -> ProgramResult:
    assert process.stdin is not None
    assert process.stdout is not None
    answer, unsent = bytearray(), memoryview(content)
    os.set_blocking(process.stdin.fileno(), False)
    with selectors.DefaultSelector() as waiting:
        waiting.register(process.stdout, selectors.EVENT_READ)
        if process.stderr is not None:
            waiting.register(process.stderr, selectors.EVENT_READ)
        waiting.register(process.stdin, selectors.EVENT_WRITE)
        # A program that ends counts as done though something it started holds its output open.
        while process.poll() is None or _has_more(waiting):
            doing.look()
            if not doing.left_s:
                raise ProviderError(f"{name} took too long.", code="too_slow")
            for key, _ in waiting.select(min(_LOOK_S, doing.left_s)):
                if key.fileobj is process.stdin:
                    unsent = unsent[_sent(key.fd, unsent) :]
                    if not unsent:
                        waiting.unregister(process.stdin)
                        with suppress(OSError):
                            process.stdin.close()
                    continue
                chunk = os.read(key.fd, _CHUNK)
                if not chunk:
                    waiting.unregister(key.fileobj)
                elif wants_answer and key.fileobj is process.stdout:
                    answer += chunk[: ANSWER_BYTES_MAX - len(answer)]
                else:
                    doing.log(chunk)
    return ProgramResult(process.wait(), bytes(answer))


def _has_more(waiting: selectors.BaseSelector) -> bool:
    """Whether output is ready to be read."""
    return any(key.events & selectors.EVENT_READ for key, _ in waiting.select(0))


def _sent(descriptor: int, unsent: memoryview) -> int:
    try:
        return os.write(descriptor, unsent[:_CHUNK]) if unsent else 0
    except BlockingIOError:
        return 0
    except BrokenPipeError:  # It does not read all of it; its status shows whether that is right.
        return len(unsent)
