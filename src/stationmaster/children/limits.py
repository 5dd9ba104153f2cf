"""What one child process may use."""

from __future__ import annotations

import msgspec

from stationmaster.errors import TooLarge
from stationmaster.settings import Settings


class Limits(msgspec.Struct, frozen=True):
    """Seconds of CPU and of wall clock; bytes of address space, of one file that it writes, and of
    its answer."""

    cpu_s: int = 300
    wall_s: float = 900.0
    memory: int = 2 * 2**30
    file_size: int = 4 * 2**30
    answer_size: int = 256 * 2**20


def of(settings: Settings) -> Limits:
    """The limits that the settings of readers set; sizes of files and answers are fixed."""
    return Limits(
        cpu_s=settings.reader_cpu_seconds,
        wall_s=settings.reader_seconds,
        memory=settings.reader_memory,
    )


def exceeded(name: str, limits: Limits) -> TooLarge:
    """The error for a limit; `name` is a field of Limits. Doing the same again would not help."""
    most = getattr(limits, name)
    return TooLarge(
        f"Reading this {_TEXTS[name].format(most, most // 2**20)}.",
        code="reader_limit",
        metadata={"limit": name, "max": most},
    )


_TEXTS = {
    "cpu_s": "took more than {0} s of computing time (STATIONMASTER_READER_CPU_SECONDS)",
    "wall_s": "took longer than {0:.0f} s (STATIONMASTER_READER_SECONDS)",
    "memory": "needed more than {1} MiB of memory (STATIONMASTER_READER_MEMORY)",
    "file_size": "needed a temporary file of more than {1} MiB",
    "answer_size": "gave an answer of more than {1} MiB",
}
