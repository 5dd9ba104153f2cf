"""A terminal for a program that draws on one, and answers what such programs ask of it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

_ROWS, _COLUMNS = 60, 240
_CONTROL = re.compile(rb"\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)|[\[?<>=0-9;]*[A-Za-z~]|.)")
_ANSWERS = {
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b[c": b"\x1b[?62c",
    b"\x1b]11;?": b"\x1b]11;rgb:0000/0000/0000\x1b\\",
    b"\x1b]10;?": b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\",
}
"""Where the cursor is, what terminal it is, and its colours."""


@dataclass
class Screen:
    """Everything that was drawn, in order."""

    drawn: bytearray = field(default_factory=bytearray)

    def text(self) -> str:
        """Without colours and blanks: programs break lines as they like."""
        return "".join(_CONTROL.sub(b"", bytes(self.drawn)).decode(errors="replace").split())


@contextmanager
def terminal(command: list[str], folder: Path, environment: dict[str, str]) -> Iterator[Screen]:
    """Run a program in a terminal of its own, and end it with the block."""
    screen = Screen()
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)

    def read() -> None:
        with suppress(OSError):
            while part := os.read(ours, 65536):
                screen.drawn += part
                for question, answer in _ANSWERS.items():
                    if question in part:
                        os.write(ours, answer)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        yield screen
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        reader.join(5)
        os.close(ours)
