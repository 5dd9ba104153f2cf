"""Real agents that our own command pointed at a real gateway: they work through it, and a budget
that is used up stops them there."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.agents_live.lab import Lab
from tests.agents_live.table import KEY, LIVE_AGENTS, LiveAgent
from tests.gateway.test_budgets import events_of, until
from tests.limits.cases import a_budget
from tests.support.gateways import Installation, an_installation, running_gateway
from tests.support.servers import settings_for
from tests.support.stub_model import StubModel, stub_model

pytestmark = [pytest.mark.agents, pytest.mark.timeout(600), pytest.mark.usefixtures("loopback")]
_KINDS = ("anthropic", "openai", "gemini")
_CLAUDE = "claude-sonnet-4-5-20250929"
_CODEX = 'model = "gpt-5.5"\ncheck_for_update_on_startup = false\n\n[analytics]\nenabled = false\n'
_OPENCODE = {
    "model": f"anthropic/{_CLAUDE}",
    "small_model": f"anthropic/{_CLAUDE}",
    "permission": {"edit": "allow", "bash": "allow"},
    "autoupdate": False,
    "share": "disabled",
}
_FILES = {
    "codex": {".codex/config.toml": _CODEX},
    "opencode": {".config/opencode/opencode.json": json.dumps(_OPENCODE)},
}
"""Of agents whose own files name the stub model, those that do not."""
_ADDRESSES = (
    *("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY"),
    *("OPENAI_BASE_URL", "OPENAI_API_KEY", "STUB_KEY", "COPILOT_PROVIDER_BASE_URL"),
    *("COPILOT_PROVIDER_API_KEY", "COPILOT_PROVIDER_TYPE", "COPILOT_MODEL"),
)
_CASES = [
    *((row, "") for row in LIVE_AGENTS),
    *((row, "replace") for row in LIVE_AGENTS if row.product == "claude-code"),
]
CASES = pytest.mark.parametrize(
    ("row", "login"), _CASES, ids=[f"{row.product}{login and f'-{login}'}" for row, login in _CASES]
)


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    with an_installation(settings_for(tmp_path / "server", "sqlite")) as installation:
        yield installation


def without_addresses(row: LiveAgent, login: str) -> LiveAgent:
    """The agent with nothing that points it at the stub model; Claude Code with its own login."""
    has_login = row.product == "claude-code" and not login

    def environment(url: str) -> dict[str, str]:
        own = {name: v for name, v in row.environment(url).items() if name not in _ADDRESSES}
        return own | ({"ANTHROPIC_API_KEY": KEY} if has_login else {})

    files = _FILES.get(row.product)
    return replace(
        row, environment=environment, files=row.files if files is None else lambda _: files
    )


def set_up(
    row: LiveAgent,
    login: str,
    folder: Path,
    model: StubModel,
    gateway: str,
    installation: Installation,
) -> tuple[Lab, dict[str, str]]:
    """The agent as our command sets it up, and what it needs in its environment."""
    for kind in _KINDS:
        installation.provider(kind, kind, model.url)
    lab = Lab(without_addresses(row, login), folder, model)
    model.turns = lab.script()
    done = lab.stationmaster(
        *("agents", "setup", row.product, "--apply", "--gateway", gateway, "--home", lab.home),
        *("--url", "http://127.0.0.1:9", "--key", installation.key),
        *(("--login", login) if login else ()),
        *(("--model", "claude-sonnet-4.5") if row.product == "copilot-cli" else ()),
    )
    assert done.code == 0, done.stderr
    lines = [shlex.split(line) for line in done.stdout.decode().splitlines()]
    exported = dict(pair.split("=", 1) for [word, pair] in lines if word == "export")
    # A helper command of ours looks for the key where it was stored.
    return lab, {**exported, "STATIONMASTER_CLIENT_DIR": str(lab.home / ".stationmaster")}


@CASES
def test_an_agent_works_through_the_gateway_and_is_as_it_was_afterwards(
    row: LiveAgent, login: str, installation: Installation, tmp_path: Path
) -> None:
    with stub_model([]) as model, running_gateway(installation.settings) as gateway:
        lab, environment = set_up(row, login, tmp_path, model, gateway, installation)

        lab.run(environment)

        calls = [call for call in model.calls if not call.is_side]
        until(lambda: len(events_of(installation)) == len(model.calls))
        events = events_of(installation)
        undone = lab.stationmaster(
            "agents", "setup", row.product, "--gateway", "--undo", "--home", lab.home
        )

    assert len(calls) == 5
    assert {(event.product, event.source) for event in events} == {(row.product, "gateway")}
    assert len({event.event_id for event in events}) == len(events)
    assert undone.code == 0
    for content, _ in lab.settings_files().values():
        assert gateway.encode() not in content
        assert installation.key.encode() not in content


@CASES
def test_a_budget_that_is_used_up_stops_an_agent_at_the_gateway_and_the_person_reads_why(
    row: LiveAgent, login: str, installation: Installation, tmp_path: Path
) -> None:
    a_budget(installation.db, installation.org, amount=1)
    with stub_model([]) as model, running_gateway(installation.settings) as gateway:
        lab, environment = set_up(row, login, tmp_path, model, gateway, installation)

        done = lab.prompt(environment)

    assert model.calls == []
    assert not (lab.project / "hello.py").exists()
    assert "stationmaster limits ask" in " ".join(f"{done.stdout} {done.stderr}".split())
