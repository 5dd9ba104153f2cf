"""`stationmaster hook`: keeps the JSON that an agent's hook gives it, and lets the agent go on.

An agent waits for its hooks. So only modules that every interpreter has at hand are loaded here:
the JSON goes into a file of its own, and a process that nobody waits for makes counts and names
of it and sends them (see `spool`). Whatever happens, the agent sees exit code 0 and no output.
"""

from __future__ import annotations

import os
import sys
import time

HELP = """Usage: stationmaster hook [--agent NAME] [--event NAME] [--verbose]

Takes the JSON of one hook of a coding agent on standard input, keeps counts and names of it and
sends them to the server. Always exits with 0; says what went wrong with --verbose alone.

  --agent NAME   whose hook it is; else the JSON tells
  --event NAME   which hook it is, for agents whose JSON does not tell
"""
SIZE_MAX = 32 * 2**20
"""Bytes of one hook's JSON; a larger one is not kept."""
FOLDER = "hooks"
"""Below the client's folder."""


def main(arguments: list[str]) -> int:
    """Take one hook; the arguments are those after `hook`. Always 0."""
    options = _options(arguments)
    if "--help" in options:
        sys.stdout.write(HELP)
        return 0
    try:
        folder = os.path.join(client_folder(), FOLDER)
        keep(folder, options.get("--agent", ""), options.get("--event", ""), _given())
        _hand_on(folder)
    except Exception as fault:  # The agent's edge: it must not see any fault of ours.
        if "--verbose" in options:
            sys.stderr.write(f"stationmaster hook: {fault}\n")
    return 0


def client_folder() -> str:
    """Settings.client_dir, without loading the settings."""
    # The settings room would load more than an agent should wait for.
    return os.environ.get("STATIONMASTER_CLIENT_DIR") or os.path.expanduser("~/.stationmaster")  # noqa: TID251


def keep(folder: str, agent: str, event: str, given: bytes) -> None:
    """Put one hook's JSON into a file that appears whole, readable by its owner alone.

    Its first line is JSON, too: agent, event and the nanosecond at which it came.
    """
    os.makedirs(folder, mode=0o700, exist_ok=True)
    now = time.time_ns()
    name = os.path.join(folder, f"{now}-{os.getpid()}")
    handle = os.open(f"{name}.part", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(handle, "wb") as file:
        file.write(f"{_plain(agent)}\t{_plain(event)}\t{now}\n".encode())
        file.write(given)
    os.replace(f"{name}.part", f"{name}.hook")


def _plain(name: str) -> str:
    return "".join(c for c in name if c.isalnum() or c in "-_.")[:100]


def _given() -> bytes:
    given = sys.stdin.buffer.read(SIZE_MAX + 1)
    if len(given) > SIZE_MAX:
        raise ValueError("the JSON is larger than a hook's can be")
    return given


def _options(arguments: list[str]) -> dict[str, str]:
    """Flags with their values; what is not known is passed over, newer configurations included."""
    found: dict[str, str] = {}
    rest = iter(arguments)
    for argument in rest:
        name, has_value, value = argument.partition("=")
        if name in ("--agent", "--event") and not has_value:
            value = next(rest, "")
        found["--help" if name == "-h" else name] = value
    return found


def _hand_on(folder: str) -> None:
    """Start the process that sends, apart from the agent: it may outlive it."""
    if not hasattr(os, "fork"):
        _spawn(folder)
        return
    sys.stdout.flush()
    if os.fork():
        return
    try:
        os.setsid()
        # The agent waits until nobody holds the other end of its pipes.
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        _work(folder)
    finally:
        os._exit(0)


def _work(folder: str) -> None:
    import fcntl

    while True:
        with open(os.path.join(folder, "lock"), "ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                # Whoever works looks again after letting go, and finds what was kept here.
                return
            from stationmaster.client import spool

            if not spool.work(folder):
                return
        if not spool.has_fresh(folder):
            return


def _spawn(folder: str) -> None:
    """Where processes do not fork."""
    import subprocess

    subprocess.Popen(  # noqa: S603 - our own program, with a folder of ours
        [sys.executable, "-m", "stationmaster.client.spool", folder],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        creationflags=getattr(subprocess, "DETACHED_PROCESS", 0),
    )
