"""A person's home and a project on loopback, with one real agent in it."""

from __future__ import annotations

import stat
import subprocess
import time
from pathlib import Path

from stationmaster.agents.cards.settings import SettingsFile
from stationmaster.client.hooks import files as hook_files
from stationmaster.client.server import Server as Address
from stationmaster.client.settings import telemetry as agent_settings
from tests.agents_live import install
from tests.agents_live.table import LiveAgent
from tests.agents_live.terminal import terminal
from tests.support.commands import Done, command
from tests.support.stub_model import StubModel, Turn, with_usage

_AGENT_S = 180
_SCREEN_S = 90
_HOOKS_S = 30
PROMPT = "Add a hello module, let add() take any number of arguments, and commit."
CALC = "def add(a, b):\n    return a + b\n"
NEW = "def add(*numbers):\n    return sum(numbers)\n"


class Lab:
    """A person's home, a project, and one agent in it."""

    def __init__(self, row: LiveAgent, folder: Path, model: StubModel) -> None:
        self.row, self.model = row, model
        self.home, self.project = folder / "home", folder / "project"
        self.home.mkdir()
        for name, text in row.files(model.url).items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o644)
        self.project.mkdir()
        (self.project / "calc.py").write_text(CALC)
        for line in (
            "init -q -b main",
            "config user.name Ada",
            "config user.email ada@example.com",
            "remote add origin https://git.example.com/team/shop.git",
            "add -A",
            "commit -q -m Begin",
        ):
            subprocess.run(["git", *line.split()], cwd=self.project, check=True)

    def script(self) -> list[Turn]:
        tools, project = self.row.tools, self.project
        return with_usage(
            [
                Turn(tools=(tools.read(project / "calc.py"),)),
                Turn("I add it.", (tools.create(project / "hello.py", 'print("hello")\n'),)),
                Turn(tools=(tools.edit(project / "calc.py", CALC, NEW),)),
                Turn(tools=(tools.run("git add -A && git commit -q -m 'Add hello'"),)),
                Turn("Done."),
            ]
        )

    def run(self, environment: dict[str, str]) -> None:
        """One prompt whose work is done at the end of the agent's process."""
        done = self.prompt(environment)
        assert done.returncode == 0, (done.stdout[-3000:], done.stderr[-3000:])
        assert (self.project / "hello.py").exists(), (done.stdout[-3000:], done.stderr[-3000:])
        assert (self.project / "calc.py").read_text() == NEW

    def prompt(self, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
        """One prompt, to the end of the agent's process."""
        return subprocess.run(
            self._command(self.row.arguments(PROMPT)),
            cwd=self.project,
            env={**self._environment(environment), "TERM": "dumb"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_AGENT_S,
            check=False,
        )

    def converse(self, arguments: list[str], text: str) -> str:
        """What an agent shows in a terminal, until a text without blanks is in it."""
        with terminal(self._command(arguments), self.project, self._environment({})) as screen:
            until = time.monotonic() + _SCREEN_S
            while text not in (shown := screen.text()) and time.monotonic() < until:
                time.sleep(0.2)
        return shown

    def await_hooks(self) -> None:
        """Until the process that keeps hooks has sent what it had."""
        until = time.monotonic() + _HOOKS_S
        folder = self.home / ".stationmaster" / "hooks"
        while [*folder.glob("*.part"), *folder.glob("*.events")]:
            assert time.monotonic() < until, list(folder.iterdir())
            time.sleep(0.1)

    def stationmaster(self, *arguments: object) -> Done:
        own = {
            "HOME": str(self.home),
            "STATIONMASTER_CLIENT_DIR": str(self.home / ".stationmaster"),
        }
        return command(*arguments, env=own)

    def _command(self, arguments: list[str]) -> list[str]:
        return [str(install.program_of(self.row.program)), *arguments]

    def _environment(self, more: dict[str, str]) -> dict[str, str]:
        search = f"{install.node_folder()}:/usr/bin:/bin"
        base = {"HOME": str(self.home), "PATH": search, "LANG": "C.UTF-8", "TERM": "xterm-256color"}
        return {**base, **self.row.environment(self.model.url), **more}

    def settings_files(self) -> dict[str, tuple[bytes, int]]:
        """The files that we and the agent share, with the copies beside them."""
        names = [file.path for file in self._recipe_files()]
        shared = {(self.home / name).parent for name in names}
        shared.add(hook_files.path_of(self.row.product, self.home, None).parent)
        return {
            str(file.relative_to(self.home)): (file.read_bytes(), stat.S_IMODE(file.stat().st_mode))
            for folder in shared
            if folder.exists()
            for file in folder.iterdir()
            if file.is_file()
            and (file.suffix in (".json", ".toml", ".js", "") or "stationmaster" in file.name)
        }

    def _recipe_files(self) -> tuple[SettingsFile, ...]:
        if self.row.product not in agent_settings.products():
            return ()
        return agent_settings.recipe_of(self.row.product, Address("", "")).files
