"""Functions that tests have called in child processes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from stationmaster.children import process
from stationmaster.children.messages import Report
from stationmaster.errors import Conflict
from stationmaster.reading.code import worker


class Sum(NamedTuple):
    total: int
    names: tuple[str, ...]


def add(first: int, second: int, names: tuple[str, ...]) -> Sum:
    return Sum(first + second, names)


def variables() -> dict[str, str]:
    return dict(os.environ)


def count(to: int, report: Report) -> int:
    for number in range(to):
        report("counting", number, to)
    return to


def refuse() -> int:
    raise Conflict("It is damaged.", code="damaged", metadata={"line": 3})


def fail() -> int:
    raise KeyError("unexpected")


def backtrack() -> int:
    """Never returns, and never lets another thread of its process run."""
    re.search(r"(a+)+$", "a" * 60 + "b")
    return 1


def allocate() -> int:
    return len([bytes(2**20) for _ in range(100_000)])


def sleep() -> int:
    time.sleep(600)
    return 1


def answer(size: int) -> bytes:
    return bytes(size)


def write(size: int) -> int:
    import tempfile

    with tempfile.TemporaryFile() as file:
        file.write(bytes(size))
    return size


def crash() -> int:
    os.kill(os.getpid(), signal.SIGSEGV)
    return 1


def die() -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 1


def start_others(file: str) -> int:
    """Writes the ids of this process and of two that it starts, and computes on."""
    reader = process.start(worker.__name__)
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    note = Path(file)
    draft = note.with_suffix(".draft")
    draft.write_text(f"{os.getpid()} {reader.pid} {sleeper.pid}")
    draft.rename(note)
    return backtrack()
