"""How busy this machine is, from `/proc` (proc(5)); nothing where there is none."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from stationmaster.relay_messages import Sample

_STAT = Path("/proc/stat")
_MEMORY = Path("/proc/meminfo")


class Sampler:
    """Processors are counted from one sample to the next."""

    def __init__(self) -> None:
        self._before = _ticks()

    def sample(self) -> Sample | None:
        """Use of processors since the last sample, of memory and disk now; None without figures."""
        now, memory = _ticks(), _memory()
        if now is None or self._before is None or memory is None:
            return None
        busy, total = (after - before for after, before in zip(now, self._before, strict=True))
        if total <= 0:
            return None
        self._before = now
        disk = shutil.disk_usage(Path.home())
        return Sample(
            cpu_used_pct=round(min(max(100 * busy / total, 0.0), 100.0), 2),
            cpu_count=os.cpu_count() or 1,
            mem_used=memory[0],
            mem_total=memory[1],
            disk_used=disk.used,
            disk_total=disk.total,
        )


def _ticks() -> tuple[int, int] | None:
    """Ticks that the processors worked, and all of them, since the machine was started."""
    try:
        first = _STAT.read_text().partition("\n")[0]
        user, nice, system, idle, waiting, *rest = (int(word) for word in first.split()[1:])
    except (OSError, ValueError):
        return None
    # Time of guests is in that of users already.
    busy = user + nice + system + sum(rest[:3])
    return busy, busy + idle + waiting


def _memory() -> tuple[int, int] | None:
    """Bytes of memory that are in use, and all of them."""
    try:
        lines = (line.split(":") for line in _MEMORY.read_text().splitlines())
        values = {name: int(value.split()[0]) * 1024 for name, value in lines}
        return values["MemTotal"] - values["MemAvailable"], values["MemTotal"]
    except (OSError, ValueError, KeyError, IndexError):
        return None
