"""The process that parses: it answers each request on its standard output, and ends with its input.

A frame contains MessagePack: in, a list of `[language, data]`; out, a frame with the facts of each
file. Timers of the system end the process at a file that costs too much, because a parser that
recovers from errors cannot be interrupted. CPU time counts, so a busy machine loses no file.
"""

from __future__ import annotations

import gc
import resource
import signal
import sys

import msgspec

from stationmaster.children.frames import give, take
from stationmaster.children.process import OBJECTS_BETWEEN_COLLECTIONS

CPU_SECONDS_MAX = 5.0
"""For one file."""
WALL_SECONDS_MAX = 60.0
"""For one file, computing or not."""
MEMORY_MAX = 2**30
_DECODER = msgspec.msgpack.Decoder(list[tuple[str, bytes]])


def main() -> None:
    """Answer requests until standard input ends, in at most MEMORY_MAX bytes of address space."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    memory = MEMORY_MAX if hard == resource.RLIM_INFINITY else min(MEMORY_MAX, hard)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from stationmaster.reading.code import reading

    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while (frame := take(requests)) is not None:
        for language, data in _DECODER.decode(frame):
            _timed(CPU_SECONDS_MAX, WALL_SECONDS_MAX)
            facts = reading.read(language, data)
            _timed(0, 0)
            give(answers, msgspec.msgpack.encode(facts))


def _timed(cpu_seconds: float, wall_seconds: float) -> None:
    """Set timers whose signals have no handler, so they end the process."""
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    signal.setitimer(signal.ITIMER_REAL, wall_seconds)


def ran_out(code: int) -> bool:
    """Is an exit code that of a process in which a file took too long?"""
    return -code in (signal.SIGPROF, signal.SIGALRM)


if __name__ == "__main__":
    main()
