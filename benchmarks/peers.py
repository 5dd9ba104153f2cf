"""Other tools to stand beside, each in an environment of its own, made when it is first needed.

They live in STATIONMASTER_BENCH_PEERS, by default in the user's cache folder, so that every
checkout shares them. One that cannot be installed is told about and left out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

INSTALL_SECONDS_MAX = 600
PYTHON = {
    "litellm": "litellm[proxy]==1.106.2",
    "mlflow": "mlflow==3.17.2",
    "arize-phoenix": "arize-phoenix==20.26.1",
    "rotel": "rotel==0.0.1a15",
    "sniffly": "sniffly==0.1.5",
    "zizmor": "zizmor==1.32.0",
    "claude-monitor": "claude-monitor==4.0.0",
}
NPM = {"ccusage": "ccusage@20.0.24"}


def folder(name: str) -> Path:
    """Where a peer is, or will be."""
    given = os.environ.get("STATIONMASTER_BENCH_PEERS")
    root = Path(given) if given else Path.home() / ".cache" / "stationmaster-bench" / "peers"
    return root / name


@cache
def python(name: str) -> Path | None:
    """The `bin` folder of a peer from PyPI; None where it cannot be installed."""
    place = folder(name)
    made = place / f".{PYTHON[name]}"
    if not made.exists():
        place.mkdir(parents=True, exist_ok=True)
        if not (
            _succeeds([sys.executable, "-m", "venv", place])
            and _succeeds([place / "bin" / "python", "-m", "pip", "install", "-q", PYTHON[name]])
        ):
            return None
        made.touch()
    return place / "bin"


@cache
def npm(name: str) -> Path | None:
    """The folder `node_modules` with a peer from npm; None where it cannot be installed."""
    place = folder(name)
    made = place / f".{NPM[name]}"
    program = shutil.which("npm")
    if not made.exists():
        place.mkdir(parents=True, exist_ok=True)
        options = ("--no-audit", "--no-fund", "--prefix", place)
        if program is None or not _succeeds([program, "install", *options, NPM[name]]):
            return None
        made.touch()
    return place / "node_modules"


def version(name: str) -> str:
    """How a peer is called in a table."""
    return (PYTHON | NPM)[name].replace("==", " ").replace("@", " ")


def _succeeds(command: list[str | Path]) -> bool:
    try:
        done = subprocess.run(
            list(map(str, command)),
            capture_output=True,
            text=True,
            timeout=INSTALL_SECONDS_MAX,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    if done.returncode:
        print(done.stderr[-2000:], file=sys.stderr)
    return done.returncode == 0
