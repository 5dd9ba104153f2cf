"""Real agents set up, run, verified, counted and undone; the stub model knows what is true."""

from __future__ import annotations

import shlex
import stat
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from stationmaster import clock
from stationmaster.client import agent_settings, hook_files
from stationmaster.client.server import Server as Address
from tests.agents_live import install
from tests.agents_live.isolation import is_alone, switch_loopback_on
from tests.agents_live.table import LIVE_AGENTS, LiveAgent
from tests.support.builders import a_key, a_member, an_organization
from tests.support.commands import Done, command
from tests.support.hooks import trust_codex
from tests.support.servers import Server, running_server, settings_for
from tests.support.stub_model import StubModel, Turn, Usage, stub_model, with_usage

pytestmark = [pytest.mark.agents, pytest.mark.timeout(600)]
_AGENT_S = 180
_HOOKS_S = 30
_PROMPT = "Add a hello module, let add() take any number of arguments, and commit."
_CALC = "def add(a, b):\n    return a + b\n"
_NEW = "def add(*numbers):\n    return sum(numbers)\n"
_OURS = (".written-by-", ".before-", "stationmaster")


@pytest.fixture(scope="module", autouse=True)
def _loopback() -> None:
    if not is_alone():
        pytest.fail("agents run without any network but loopback: start them by `make agents`")
    switch_loopback_on()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with running_server(settings_for(tmp_path / "server", "sqlite")) as server:
        yield server
    clock.freeze(None)


@pytest.fixture
def key(server: Server) -> str:
    db = server.services.db
    org = an_organization(db)
    return a_key(db, org, a_member(db, org, "ada@example.com", role="owner"))


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
        (self.project / "calc.py").write_text(_CALC)
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
                Turn(tools=(tools.edit(project / "calc.py", _CALC, _NEW),)),
                Turn(tools=(tools.run("git add -A && git commit -q -m 'Add hello'"),)),
                Turn("Done."),
            ]
        )

    def run(self, environment: dict[str, str]) -> None:
        """One prompt, to the end of the agent's process."""
        search = f"{install.node_folder()}:/usr/bin:/bin"
        base = {"HOME": str(self.home), "PATH": search, "LANG": "C.UTF-8", "TERM": "dumb"}
        program = install.program_of(self.row.program)
        done = subprocess.run(
            [program, *self.row.arguments(_PROMPT)],
            cwd=self.project,
            env={**base, **self.row.environment(self.model.url), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_AGENT_S,
            check=False,
        )
        assert done.returncode == 0, (done.stdout[-3000:], done.stderr[-3000:])
        assert (self.project / "hello.py").exists(), (done.stdout[-3000:], done.stderr[-3000:])
        assert (self.project / "calc.py").read_text() == _NEW

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

    def _recipe_files(self) -> tuple[agent_settings.SettingsFile, ...]:
        if self.row.product not in agent_settings.RECIPES:
            return ()
        return agent_settings.recipe_of(self.row.product, Address("", "")).files


@pytest.mark.parametrize("has_request_ids", [True, False], ids=["named", "unnamed"])
@pytest.mark.parametrize("row", LIVE_AGENTS, ids=[row.product for row in LIVE_AGENTS])
def test_what_a_real_agent_did_is_what_the_reports_say_and_nothing_of_ours_stays(
    row: LiveAgent, has_request_ids: bool, server: Server, key: str, tmp_path: Path
) -> None:
    with stub_model([], has_request_ids=has_request_ids) as model:
        lab = Lab(row, tmp_path, model)
        model.turns = lab.script()
        there = ("--home", lab.home, "--url", server.url, "--key", key)
        if row.product == "codex":
            trust_hooks(lab, there)
        before = lab.settings_files()

        environment = set_up(lab, there)
        written = lab.settings_files()
        lab.run(environment)
        ran = lab.settings_files()
        lab.await_hooks()
        live = reports(server, key)
        collected = lab.stationmaster("collect", *there)
        server.services.mover.drain()
        verified = lab.stationmaster("agents", "verify", row.product, *there, "--json")

        assert collected.code == 0, collected.stderr
        assert verified.code == 0, verified.stdout.decode()
        assert "hook " in verified.json["steps"][-1]["text"], verified.json["steps"]
        expect_tokens(live["tokens"], lab)
        expect(reports(server, key), lab)

        lab.stationmaster("agents", "setup", row.product, "--undo", "--home", lab.home)
        lab.stationmaster("hooks", "remove", row.product, "--home", lab.home)
        after = lab.settings_files()

    unchanged = {name for name in written if ran.get(name) == written[name]}
    assert {n: after[n] for n in after if n in unchanged} == {
        n: before[n] for n in before if n in unchanged
    }
    for name, (content, _) in after.items():
        assert not any(word in name for word in _OURS)
        assert server.url.encode() not in content
        assert b"stationmaster hook" not in content


def trust_hooks(lab: Lab, there: tuple[object, ...]) -> None:
    """As the person does once; it is theirs, and stays when the hooks go."""
    lab.stationmaster("hooks", "install", "codex", *there)
    trust_codex(lab.home)
    lab.stationmaster("hooks", "remove", "codex", "--home", lab.home)


def set_up(lab: Lab, there: tuple[object, ...]) -> dict[str, str]:
    """Settings and hooks by our own commands; the environment that the agent needs besides."""
    product = lab.row.product
    assert lab.stationmaster("hooks", "install", product, *there).code == 0
    if product not in agent_settings.RECIPES:
        return {}
    done = lab.stationmaster("agents", "setup", product, "--apply", *there)
    assert done.code == 0, done.stderr
    lines = [shlex.split(line) for line in done.stdout.decode().splitlines()]
    return dict(pair.split("=", 1) for [word, pair] in lines if word == "export")


def reports(server: Server, key: str) -> dict[str, dict[str, Any]]:
    """The rows of the day, by report, as they are once the day is over."""
    began = datetime.now(UTC)
    days = {"startDate": (began - timedelta(hours=1)).date(), "endDate": began.date()}
    clock.freeze(began + timedelta(days=1, hours=12))
    rows = {}
    with server.client(key) as http:
        for report in ("tokens", "tools", "activity", "productivity"):
            answer = http.get(f"/api/v1/analytics/{report}", params=query(days))
            assert answer.status_code == httpx.codes.OK, answer.text
            rows[report] = answer.json()["data"][-1]
    clock.freeze(None)
    return rows


def query(days: dict[str, Any]) -> dict[str, str]:
    return {name: day.isoformat() for name, day in days.items()}


def expect(rows: dict[str, dict[str, Any]], lab: Lab) -> None:
    """The stub's own figures, and what is in the repository."""
    expect_tokens(rows["tokens"], lab)
    activity, productivity = rows["activity"], rows["productivity"]
    assert (activity["sessions"], activity["user_messages"]) == (1, 1)
    assert rows["tools"]["tool_calls"] == 4
    names = ("files_created", "files_edited", "git_commits")
    assert [productivity[name] for name in names] == [1, 1, 1]


def expect_tokens(row: dict[str, Any], lab: Lab) -> None:
    calls = [call for call in lab.model.calls if lab.row.reports_side_calls or not call.is_side]
    assert len([call for call in calls if not call.is_side]) == 5, lab.model.calls
    usage = sum((call.usage for call in calls), Usage())
    assert row["input_tokens"] == usage.input
    assert row["output_tokens"] == usage.output
    assert row["cache_read_tokens"] == usage.cache_read
    assert row["cache_write_tokens"] == usage.cache_write
