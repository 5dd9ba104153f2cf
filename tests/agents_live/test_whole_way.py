"""Real agents set up, run, verified, counted and undone; the stub model knows what is true."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from stationmaster import clock
from stationmaster.client.settings import telemetry as agent_settings
from tests.agents_live.lab import Lab
from tests.agents_live.table import LIVE_AGENTS, LiveAgent
from tests.support.builders import a_key, a_member, an_organization
from tests.support.hooks import trust_codex
from tests.support.servers import Server, running_server, settings_for
from tests.support.stub_model import Usage, stub_model

pytestmark = [pytest.mark.agents, pytest.mark.timeout(600), pytest.mark.usefixtures("loopback")]
_OURS = (".written-by-", ".before-", "stationmaster")


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
    if product not in agent_settings.products():
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
