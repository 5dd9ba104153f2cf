"""Install the agents of the table and their runtime from npm, each into a folder of its own.

`python -m tests.agents_live.install`: what is there in the version range stays as it is. Nothing
is written down about what was installed: the ranges of the table are all there is.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.agents_live.table import LIVE_AGENTS, NODE

CACHE = Path(__file__).parents[2] / ".venv" / "agents"
_TIMEOUT_S = 900


def program_of(name: str) -> Path:
    """Where a program of an installed package is, or would be."""
    return next(CACHE.glob(f"*/node_modules/.bin/{name}"), CACHE / name)


def node_folder() -> Path:
    """The folder of the runtime's program."""
    return program_of("node").resolve().parent


def main() -> None:
    if shutil.which("npm") is None:
        sys.exit("make agents: npm is missing; install Node.js first")
    for folder, package in [("node", NODE), *((row.product, row.package) for row in LIVE_AGENTS)]:
        _install(CACHE / folder, package)


def _install(folder: Path, package: str) -> None:
    mark = folder / "installed"
    if mark.exists() and mark.read_text() == package:
        return
    sys.stderr.write(f"Installing {package} into {folder}\n")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = ["npm", "install", "--prefix", ".", "--no-package-lock", "--no-save", "--no-audit"]
    environment = {**os.environ, "PATH": f"{node_folder()}:{os.environ['PATH']}"}
    subprocess.run(
        [*command, "--no-fund", "--loglevel=error", package],
        cwd=folder,
        env=environment,
        check=True,
        timeout=_TIMEOUT_S,
    )
    mark.write_text(package)


if __name__ == "__main__":
    main()
