"""`stationmaster hook --gate`: may this prompt, tool call or model call go on?

Read from one local file that the background keeps fresh (see `gate_file`), never by calling a
server: an agent waits for the answer. While nothing is used up, the first line of the file states
that, and no more is read of it; else `gate_decision` decides. A file that is missing, damaged,
another user's or open to others to write is ignored: then only a hook that was installed with
`--when-unreachable refuse` refuses.
"""

from __future__ import annotations

import os
import stat
import time

from stationmaster.agents import cards

SEEN = "gates"
"""Below the client's folder: one empty file an agent, written when its gate runs."""
TRIED = "gate.tried"
"""When the server was last asked, and why that failed if it did."""
REFRESH_S = 60.0
FILE = "gate"
"""Below the client's folder: a line of HEAD, then the JSON that `gate_file` writes."""
HEAD = "stationmaster-gate 1"
"""Followed by two times of this machine's clock: between them nothing is refused or warned of."""
SIZE_MAX = 256 * 1024
STALE_MS = 15 * 60_000
"""An older answer of the server is not relied on: each budget defines what holds then."""
SET_BACK_MS = 60_000
"""The clock may have been set back by this much since; by more, and an answer is not relied on."""


def answer(folder: str, options: dict[str, str], content: bytes) -> str:
    """The JSON for the agent in one line; empty where nothing is refused or warned of.

    `folder` is the client's, `options` are those of the hook, `content` is what the agent gave it.
    """
    now = time.time_ns() // 1_000_000
    try:
        first, _, stored = _read(os.path.join(folder, FILE)).partition(b"\n")
        if _is_quiet(first, now):
            return ""
    except (OSError, ValueError):
        if options.get("--when-unreachable") != "refuse":
            return ""
        stored = b""
    # Most calls of an agent end above, and must not wait for what is loaded here.
    from stationmaster.client.hooks import gate_decision

    return gate_decision.answer(stored, options, content, now)


def note_use(folder: str, agent: str) -> None:
    """Leave a mark that an agent's gate has run now, to be reported to the server."""
    path = os.path.join(folder, SEEN)
    os.makedirs(path, mode=0o700, exist_ok=True)
    if agent in cards.PRODUCTS:
        with open(os.path.join(path, agent), "wb"):
            pass


def uses(folder: str) -> dict[str, int]:
    """The agents whose gate was installed or has run here, with when it last did (ms)."""
    seen = {}
    for agent in cards.PRODUCTS:
        try:
            seen[agent] = os.stat(os.path.join(folder, SEEN, agent)).st_mtime_ns // 1_000_000
        except OSError:
            continue
    return seen


def is_due(folder: str) -> bool:
    """Is the file older than REFRESH_S, and so is the last try to fetch another one?"""
    now = time.time_ns() / 1e9
    ages = [_age_s(os.path.join(folder, name), now) for name in (FILE, TRIED)]
    return not any(0 <= age < REFRESH_S for age in ages)


def may_refuse(folder: str) -> bool:
    """Is something used up? False where there is no file that can be used."""
    try:
        first = _read(os.path.join(folder, FILE)).partition(b"\n")[0]
        return not _is_quiet(first, time.time_ns() // 1_000_000)
    except (OSError, ValueError):
        return False


def _age_s(path: str, now: float) -> float:
    try:
        return now - os.stat(path).st_mtime
    except OSError:
        return REFRESH_S


def _read(path: str) -> bytes:
    """Raises ValueError for what this person's own background process cannot have written."""
    # A pipe must not make the agent wait.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags)
    try:
        status = os.fstat(handle)
        is_ours = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
        is_open = os.name == "posix" and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if not stat.S_ISREG(status.st_mode) or not is_ours or is_open or status.st_size > SIZE_MAX:
            raise ValueError("not written by the background process of this person")
        return os.read(handle, SIZE_MAX)
    finally:
        os.close(handle)


def _is_quiet(first: bytes, now: int) -> bool:
    words = first.decode().split()
    if " ".join(words[:2]) != HEAD:
        raise ValueError("damaged")
    return int(words[2]) - SET_BACK_MS <= now < int(words[3])
