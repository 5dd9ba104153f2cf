"""Slow and failing disks and wrong clocks for real processes: a small library before libc's own."""

from __future__ import annotations

import mmap
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

_FORM = struct.Struct("=qqq")
_SOURCE = Path(__file__).with_name("shim.c")


class Shim:
    """What a process of `environment` meets; what is set here counts at once, while it runs."""

    def __init__(self, folder: Path) -> None:
        compiler = shutil.which("cc")
        if compiler is None or not sys.platform.startswith("linux"):
            pytest.skip("needs Linux and a C compiler (cc)")
        library, control = folder / "shim.so", folder / "shim.control"
        arguments = ["-shared", "-fPIC", "-O1", "-w", "-o", str(library), str(_SOURCE), "-ldl"]
        subprocess.run([compiler, *arguments], check=True)
        control.write_bytes(bytes(_FORM.size))
        with control.open("r+b") as file:
            self._shared = mmap.mmap(file.fileno(), _FORM.size)
        self.environment = {"LD_PRELOAD": str(library), "CHAOS_CONTROL": str(control)}

    def set(self, *, clock_offset_s: int = 0, sync_delay_ms: int = 0, write_errno: int = 0) -> None:
        """All three; what is not given ends."""
        self._shared[:] = _FORM.pack(clock_offset_s, sync_delay_ms, write_errno)
