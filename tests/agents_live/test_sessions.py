"""Real agents on a computer: started, watched, prompted, asked and stopped through a real relay."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stationmaster import clock
from tests.agents_live import install
from tests.agents_live.lab import Lab
from tests.agents_live.table import LIVE_AGENTS, LiveAgent
from tests.support.agent_sessions import a_session
from tests.support.cast import Cast
from tests.support.servers import Server, running_server, settings_for
from tests.support.stub_model import Turn, stub_model, with_usage

pytestmark = [pytest.mark.agents, pytest.mark.timeout(300), pytest.mark.usefixtures("loopback")]
ASKS = ("claude-code", "gemini-cli", "opencode", "copilot-cli")
"""Agents that ask before they write a file: Codex has its sandbox, and Qwen Code allows itself to
edit in the folder in which it was started."""
each_agent = pytest.mark.parametrize("row", LIVE_AGENTS, ids=lambda row: row.product)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    clock.freeze(None)
    with running_server(settings_for(tmp_path / "server", "sqlite")) as running:
        yield running


@contextmanager
def served(lab: Lab, server: Server, key: str) -> Iterator[str]:
    """The id of the computer that a person's home is, which allows the agent."""
    program = install.program_of(lab.row.program)
    environment = {
        **lab._environment({}),
        "PATH": f"{program.parent}:{install.node_folder()}:{os.environ['PATH']}",
        # Otherwise it asks the model which model to use.
        "GEMINI_MODEL": "gemini-2.5-pro",
        "STATIONMASTER_URL": server.url,
        "STATIONMASTER_KEY": key,
        "STATIONMASTER_CLIENT_DIR": str(lab.home / ".stationmaster"),
    }
    computers = [sys.executable, "-m", "stationmaster", "computers"]
    registered = subprocess.run(
        [*computers, "register", "build", "--yes", "--json"],
        env=environment,
        capture_output=True,
        check=True,
    )
    serving = subprocess.Popen(
        [*computers, "serve", "--allow-agent", lab.row.product, "--workspace", str(lab.project)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert serving.stdout is not None
        assert any(line.startswith("Connected") for line in iter(serving.stdout.readline, ""))
        yield str(json.loads(registered.stdout)["id"])
    finally:
        serving.terminate()
        serving.communicate(timeout=30)


@each_agent
def test_an_agent_is_started_prompted_asked_and_stopped(
    row: LiveAgent, tmp_path: Path, server: Server
) -> None:
    key = str(Cast(server.services.db, "acme").keys["member"])
    with stub_model([]) as model, server.client(key) as client:
        lab = Lab(row, tmp_path, model)
        _ask_first(lab)
        work = row.tools.create(lab.project / "hello.py", 'print("hello")\n')
        if row.product not in ASKS:
            work = row.tools.run("echo hello")
        turns = [Turn("I add it.", (work,)), Turn("It is there."), Turn("Hello again.")]
        model.turns.extend(with_usage(turns))
        with served(lab, server, key) as computer:
            talk = a_session(client, computer, agent=row.product)
            assert talk.prompt("Add a hello module.").status_code == 202
            if row.product in ASKS:
                asked = talk.until("permission")
                assert not (lab.project / "hello.py").exists()
                assert asked["title"]
                allow = next(o["id"] for o in asked["options"] if "allow" in o["kind"])
                assert talk.decide(asked["id"], allow).status_code == 204
            talk.until("turn")
            assert "It is there." in _said(talk.updates())
            if row.product in ASKS:
                assert (lab.project / "hello.py").exists(), talk.updates()
            assert any(each["kind"] == "tool" for each in talk.updates()), talk.updates()

            talk.until_row(state="idle")
            assert talk.prompt("Say hello.").status_code == 202
            talk.until_row(prompts=2, state="idle")
            begun = [each["seq"] for each in talk.updates() if each["kind"] == "prompt"]
            assert _said(talk.updates(after=begun[-1]))
            assert client.post(f"{talk.path}/stop").status_code == 204
            assert talk.row()["reason"] == "stopped"


def _said(updates: list[dict[str, str]]) -> str:
    return "".join(each["text"] for each in updates if each["kind"] == "message")


def _ask_first(lab: Lab) -> None:
    """OpenCode asks only where its settings say so."""
    path = lab.home / ".config" / "opencode" / "opencode.json"
    if path.exists():
        settings = json.loads(path.read_text())
        settings["permission"] = {"edit": "ask", "bash": "ask"}
        path.write_text(json.dumps(settings))
