"""Starting and ending child processes: their environment and their process group."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

_KEPT = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONPYCACHEPREFIX",
    "PYTHONDONTWRITEBYTECODE",
    "TMPDIR",
)
"""Variables that an interpreter may need to start. All others stay here: some hold secrets."""
OBJECTS_BETWEEN_COLLECTIONS = 100_000
"""A child reads, answers and ends, and makes few cycles: looking for them at every 700th object, as
Python does, takes up to a tenth of its time."""


class _Here:
    """`is_child` is True in a child process, whose own children stay in its process group.
    `prepared` waits for the next caller."""

    is_child = False
    prepared: subprocess.Popen[bytes] | None = None


def enter_child() -> None:
    """Note that this process is a child, so that ending its group ends all that it starts."""
    _Here.is_child = True


def own_group() -> bool:
    """Does a process that is started here lead a process group of its own?"""
    return not _Here.is_child


def start(module: str, *arguments: str) -> subprocess.Popen[bytes]:
    """A Python process that runs a module of ours, with pipes for input and output."""
    return subprocess.Popen(  # noqa: S603 - our own program and words
        [sys.executable, "-P", "-m", module, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(),
        start_new_session=own_group(),
    )


@contextmanager
def preparing(module: str, *arguments: str) -> Iterator[None]:
    """Start a process for a caller of `prepared` within the block: it loads what it needs while
    this one prepares its call. One that was not used is ended behind the block; it ends with this
    process, too, which holds its input."""
    _Here.prepared = start(module, *arguments)
    try:
        yield
    finally:
        if (left := prepared()) is not None:
            end(left)
            close((left.stdin, left.stdout))


def prepared() -> subprocess.Popen[bytes] | None:
    """The process that `preparing` started, once."""
    process, _Here.prepared = _Here.prepared, None
    return process


def end(process: subprocess.Popen[Any]) -> None:
    """Kill a process, with its group where it leads one, and wait for it."""
    # Until it is reaped no other process can get its number, so its group can be killed safely.
    if process.returncode is None:
        kill(process)
        process.wait()


def kill(process: subprocess.Popen[Any]) -> None:
    """Send SIGKILL to a process, with its group where it leads one; ignored if it has ended."""
    with suppress(ProcessLookupError, PermissionError):
        if own_group():
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def kill_at_close(watched: int, group: int) -> None:
    """Have the kernel kill a group once no process can write to a pipe of which it has `watched`.

    Linux alone does; elsewhere nothing happens.
    """
    if sys.platform == "linux":
        fcntl.fcntl(watched, fcntl.F_SETOWN, -group)
        fcntl.fcntl(watched, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(watched, fcntl.F_SETFL, fcntl.fcntl(watched, fcntl.F_GETFL) | os.O_ASYNC)


def close(streams: Sequence[Any]) -> None:
    """Close the streams that are not None, and ignore errors."""
    for stream in streams:
        if stream is not None:
            with suppress(OSError):
                stream.close()


def _environment() -> dict[str, str]:
    # Settings take longer to load than all that a command needs to start its child.
    variables = os.environ  # noqa: TID251
    kept = {name: variables[name] for name in _KEPT if name in variables}
    # Each further arena of the allocator would reserve address space that nothing uses.
    return kept | {"MALLOC_ARENA_MAX": "2", "PYTHONUTF8": "1"}
