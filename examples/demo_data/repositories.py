"""The demo's repositories, made by git from our own text, registered, read and read again.

Each text file of `repositories/` is one history: `@@ DAYS AUTHOR MESSAGE` begins a commit made that
many days before the demo began, `++ PATH` a file with its lines, `-- PATH` removes one. One more
repository is a part of Stationmaster itself.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Collection, Iterator
from datetime import UTC, date, datetime, time as time_of_day
from pathlib import Path

import httpx

from demo_data.events import HOST

_TEXTS = Path(__file__).parent / "repositories"
_SOURCE = Path(__file__).parents[2]
_OWN = "agent-client"
NAMES = ("shop-api", "shop-web", "deploy", "reports", _OWN)
_OWN_FILES = (
    "src/stationmaster/agents/**/*.py",
    "src/stationmaster/client/*.py",
    "src/stationmaster/events/*.py",
    "src/stationmaster/*.py",
    "docs/collect.md",
    "docs/events.md",
    "LICENSE",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "pyproject.toml",
)
_GONE = "old-shop"
"""Registered, and not there any more."""
_WITH_WIKI = ("shop-web", _OWN)
_MAIN = "refs/heads/main"
_DEADLINE_S = 60


def make(folder: Path, today: date, wanted: Collection[str] = NAMES) -> None:
    """Make bare repositories in a folder, each at its first commit; later ones are there, too."""
    for name, stream in _streams(today, wanted):
        bare = folder / f"{name}.git"
        if (bare / "refs" / "heads" / "next").exists():
            continue
        _git("init", "--quiet", "--bare", "--initial-branch=main", str(bare))
        _git("-C", str(bare), "fast-import", "--quiet", "--force", stdin=stream)
        commits = _git("-C", str(bare), "rev-list", "--reverse", _MAIN).split()
        _git("-C", str(bare), "update-ref", _MAIN, commits[0])
        _git("-C", str(bare), "update-ref", "refs/heads/next", commits[-1])


def read(http: httpx.Client, folder: Path, port: int) -> None:
    """Have all repositories fetched and evaluated, as they were and as they are, and their wikis
    written."""
    base = "/api/platform/v1"
    names = sorted(path.stem for path in folder.glob("*.git"))
    ids = {}
    for name in names:
        made = http.post(
            f"{base}/repositories", json={"url": f"http://{HOST}:{port}/demo/{name}"}
        ).raise_for_status()
        ids[name] = made.json()["repoId"]
    _fetch(http, ids)
    # A wiki that was written once follows new commits, so that this one has two versions.
    _write_wiki(http, ids["shop-api"])
    _wait_for_jobs(http)
    for name in names:
        _git("-C", str(folder / f"{name}.git"), "update-ref", _MAIN, "refs/heads/next")
    _fetch(http, ids)
    for name in set(_WITH_WIKI) & set(names):
        _write_wiki(http, ids[name])
    http.post(f"{base}/repositories", json={"url": f"http://{HOST}:{port}/demo/{_GONE}"})


def _write_wiki(http: httpx.Client, repo: str) -> None:
    http.post(f"/api/platform/v1/wiki/repositories/{repo}/generate").raise_for_status()


def _fetch(http: httpx.Client, ids: dict[str, str]) -> None:
    for repo in ids.values():
        http.post(f"/api/platform/v1/repositories/{repo}/refresh").raise_for_status()


def _wait_for_jobs(http: httpx.Client) -> None:
    """Until nothing waits or runs: each repository's first commit has its own report then."""
    until = time.monotonic() + _DEADLINE_S
    while time.monotonic() < until:
        states = [
            job["state"]
            for state in ("queued", "running")
            for job in http.get("/api/platform/v1/jobs", params={"state": state}).json()["jobs"]
        ]
        if not states:
            return
        time.sleep(0.2)


def _streams(today: date, wanted: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """Names and histories, as `git fast-import` reads them."""
    for file in sorted(_TEXTS.glob("*.txt")):
        if file.stem in wanted:
            yield file.stem, b"".join(_commits(file.read_text(), today))
    if _OWN not in wanted:
        return
    files = sorted(path for pattern in _OWN_FILES for path in _SOURCE.glob(pattern))
    parts = [_commit(30, "rosa.jimenez", "Read what agents report", today)]
    parts += [_file(str(path.relative_to(_SOURCE)), path.read_bytes()) for path in files]
    parts.append(_file("README.md", (_SOURCE / "docs" / "collect.md").read_bytes()))
    yield _OWN, b"".join(parts)


def _commits(text: str, today: date) -> Iterator[bytes]:
    for part in text.split("@@ ")[1:]:
        head, _, rest = part.partition("\n")
        days, author, message = head.split(" ", 2)
        yield _commit(int(days), author, message, today)
        path, lines = "", list[str]()
        for line in [*rest.splitlines(keepends=True), "++ "]:
            if line.startswith("-- "):
                yield f"D {line[3:].strip()}\n".encode()
            elif line.startswith("++ "):
                if path:
                    yield _file(path, "".join(lines).encode())
                path, lines = line[3:].strip(), []
            else:
                lines.append(line)


def _commit(days: int, author: str, message: str, today: date) -> bytes:
    at = int(datetime.combine(today, time_of_day(10), UTC).timestamp()) - days * 86_400
    who = f"{author} <{author}@example.com> {at} +0000"
    return f"commit {_MAIN}\nauthor {who}\ncommitter {who}\n".encode() + _data(message.encode())


def _file(path: str, content: bytes) -> bytes:
    mode = "100755" if path.endswith(".sh") else "100644"
    return f"M {mode} inline {path}\n".encode() + _data(content)


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)


def _git(*arguments: str, stdin: bytes = b"") -> str:
    """What git prints, without any configuration of this machine."""
    done = subprocess.run(
        ["git", *arguments],
        input=stdin,
        capture_output=True,
        check=True,
        env={
            "PATH": os.environ["PATH"],
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
        },
    )
    return done.stdout.decode()
