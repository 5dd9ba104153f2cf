"""What an agent waits for: a hook beside the same with a gate, and an interpreter that does
nothing, each a fresh process, in turn."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.support.gates import a_budget, stored

from benchmarks.results import Result, machine, spread

ROUNDS = 60
LIMIT_MS = 50
_PROGRAM = str(Path(sys.executable).with_name("stationmaster"))
_HOOK = [_PROGRAM, "hook", "--agent", "codex"]
_GATE = [_PROGRAM, "hook", "--gate", "--agent", "codex"]
_PROMPT = json.dumps(
    {"hook_event_name": "UserPromptSubmit", "session_id": "s", "model": "gpt-5.5", "prompt": "Do."}
).encode()
_NOTHING, _PLAIN = "an interpreter that does nothing", "a hook"
_ROOM, _MODEL = "a hook with a gate, room left", "the same, used up, by model"
_USED_UP = "the same, used up: it refuses"


def run() -> list[Result]:
    taken: dict[str, list[float]] = {}
    busy: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        contenders = {
            _NOTHING: ([sys.executable, "-c", "pass"], Path(folder, "none")),
            _PLAIN: (_HOOK, Path(folder, "plain")),
            _ROOM: (_GATE, Path(folder, "room")),
            _USED_UP: (_GATE, Path(folder, "used")),
            _MODEL: (_GATE, Path(folder, "model")),
        }
        stored(Path(folder, "room"), a_budget(remaining=1))
        stored(Path(folder, "used"), a_budget())
        stored(Path(folder, "model"), a_budget(atEnd="allow-models", models=["claude-haiku-*"]))
        for _ in range(ROUNDS):
            for name, (command, client_dir) in contenders.items():
                elapsed, cpu = _milliseconds(command, client_dir)
                taken.setdefault(name, []).append(elapsed)
                busy.setdefault(name, []).append(cpu)
        time.sleep(2)  # The processes that keep hooks end a second after the last.
    plain, gated, refused = (statistics.median(busy[n]) for n in (_PLAIN, _ROOM, _USED_UP))
    return [
        Result(
            "hooks",
            "What an agent waits for at a hook",
            "A fresh process, its JSON on standard input, until it has ended; what goes on in the "
            f"background is not waited for. Median (least–greatest) of {ROUNDS} rounds in turn. "
            + machine(),
            ["process", "ms", "CPU ms", "of a hook's"],
            [
                [
                    *(name, spread(times, ".1f"), spread(busy[name], ".1f")),
                    f"{statistics.median(busy[name]) / plain:.2f}",
                ]
                for name, times in taken.items()
            ],
            f"A gate with room left takes {gated / plain:.2f} of the CPU time of a hook without "
            f"one, a refusal {refused / plain:.2f}; limit: {LIMIT_MS} ms in all.",
            figures={"gate_ratio": gated / plain, "refusal_ratio": refused / plain},
        )
    ]


def _milliseconds(command: list[str], client_dir: Path) -> tuple[float, float]:
    """How long a process takes, and how much of a processor."""
    environment = {**os.environ, "STATIONMASTER_CLIENT_DIR": str(client_dir)}
    began, before = time.perf_counter(), _cpu_s()
    subprocess.run(command, input=_PROMPT, env=environment, stdout=subprocess.PIPE, check=True)
    return (time.perf_counter() - began) * 1_000, (_cpu_s() - before) * 1_000


def _cpu_s() -> float:
    """Of the processes that have ended and were waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
