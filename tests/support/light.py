"""A clean environment as on a laptop: the program without extras, and nothing of the server.

The program is installed by pip from the address of a server, its dependencies are links to those
that the tests themselves run with.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

from tests.support.commands import Done

ROOT = Path(__file__).resolve().parents[2]
_DRIVER = """
import json, sys
from tests.support.commands import command
for line in sys.stdin:
    done = command(*json.loads(line))
    print(json.dumps([done.code, done.stdout.decode(errors="replace"), done.stderr]), flush=True)
"""


@dataclass(frozen=True)
class Light:
    """An environment in a folder, with a home folder of its own."""

    folder: Path

    @property
    def program(self) -> Path:
        return self.folder / "bin" / "stationmaster"

    @property
    def packages(self) -> Path:
        [found] = self.folder.glob("lib/python*/site-packages")
        return found

    def environment(self, **variables: str) -> dict[str, str]:
        """Nothing of the tests' own: no settings, no search path of Python."""
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return {"PATH": path, "HOME": str(home), "PIP_CONFIG_FILE": os.devnull, **variables}

    def run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """One command of the program, as a process."""
        return subprocess.run(
            [self.program, *arguments],
            cwd=self.folder,
            env=self.environment(**variables),
            capture_output=True,
            text=True,
            timeout=120,
        )

    def run_all(self, commands: Sequence[Sequence[str]], **variables: str) -> list[Done]:
        """Several commands of the program, one after the other in one process."""
        done = subprocess.run(
            [self.folder / "bin" / "python", "-c", _DRIVER],
            cwd=self.folder,
            env=self.environment(PYTHONPATH=str(ROOT), **variables),
            input="".join(json.dumps(list(arguments)) + "\n" for arguments in commands),
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert done.returncode == 0, done.stderr
        results = [json.loads(line) for line in done.stdout.splitlines()]
        return [Done(code, out.encode(), errors) for code, out, errors in results]


def light_installation(folder: Path, wheel: str) -> Light:
    """The program installed from a wheel's address into a new environment, without extras."""
    light = Light(folder)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=120)
    _link_dependencies(light.packages)
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--no-index", "-q", wheel]
    subprocess.run(pip, check=True, env=light.environment(), timeout=120)
    return light


def _link_dependencies(packages: Path) -> None:
    """What the light base needs, as each distribution says itself. pip checks that it is all."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for needed in _closure(project["dependencies"]):
        for name in {file.parts[0] for file in needed.files or []} - {"..", "__pycache__"}:
            (packages / name).symlink_to(str(needed.locate_file(name)))


def _closure(requirements: Sequence[str]) -> list[Distribution]:
    found: dict[str, Distribution] = {}
    todo = [Requirement(line) for line in requirements]
    while todo:
        wanted = todo.pop()
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        if name in found or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
            continue
        found[name] = distribution(name)
        todo += map(Requirement, found[name].requires or [])
    return list(found.values())
