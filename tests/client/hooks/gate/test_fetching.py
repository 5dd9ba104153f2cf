"""The gate has its file brought up to date by a server, and never waits for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from stationmaster.client import server
from stationmaster.client.hooks import gate, gate_file
from tests.client.hooks.gate.answers import PROMPT, asked, decided, reason_in, until
from tests.support.gates import a_budget, an_answer, stored
from tests.support.scripted import Reply, scripted_server


def reply(*budgets: dict[str, Any]) -> Reply:
    return Reply(200, json.dumps(an_answer(*budgets)).encode())


def test_the_hook_itself_has_the_file_brought_up_to_date_and_never_waits_for_it(
    client_dir: Path,
) -> None:
    with scripted_server() as there:
        there.read = reply(a_budget()).body
        server.save(client_dir, server.Server(there.url, "sm_key"))

        first = asked(client_dir, PROMPT, "--gate", "claude-code")
        until(lambda: gate_file.load(client_dir) is not None)
        second = asked(client_dir, PROMPT, "--gate", "claude-code")

    assert first is None
    assert second is not None
    assert (client_dir / gate.FILE).stat().st_mode & 0o777 == 0o600
    assert list(gate.uses(str(client_dir))) == ["claude-code"]


def test_what_a_hostile_server_answers_is_not_stored_and_the_reason_is(client_dir: Path) -> None:
    path = stored(client_dir, a_budget())
    before = path.read_bytes()
    for body, why in [
        (b"{}", "a format that this version does not support"),
        (b"\xff" * 100, "a format that this version does not support"),
        (b" " * (gate.SIZE_MAX + 1), "too large"),
        (json.dumps(an_answer(a_budget(remaining="0"))).encode(), "has a format"),
    ]:
        with scripted_server() as there:
            there.read = body
            server.save(client_dir, server.Server(there.url, "sm_key"))
            assert not gate_file.refresh(str(client_dir))
        assert why in gate_file.standing(client_dir).problem
    server.save(client_dir, server.Server("http://127.0.0.1:9", "sm_key"))
    assert not gate_file.refresh(str(client_dir))

    assert "connection refused" in gate_file.standing(client_dir).problem
    assert path.read_bytes() == before


def test_a_server_is_asked_at_most_once_a_minute(client_dir: Path) -> None:
    client_dir.mkdir()
    assert gate.is_due(str(client_dir))
    gate_file.refresh(str(client_dir))
    assert not gate.is_due(str(client_dir))
    for name in (gate.TRIED,):
        os.utime(client_dir / name, (time.time() - 61, time.time() - 61))
    assert gate.is_due(str(client_dir))


def test_the_server_is_told_which_agents_have_a_gate(client_dir: Path) -> None:
    with scripted_server() as there:
        there.read = reply().body
        server.save(client_dir, server.Server(there.url, "sm_key"))
        for agents in (["codex"], ["droid"]):
            for agent in agents:
                gate.note_use(str(client_dir), agent)
            assert gate_file.refresh(str(client_dir))
        gate_file.delete_use(client_dir, "codex")
        assert gate_file.refresh(str(client_dir))

    assert [fields["x-stationmaster-gate"] for fields in there.asked] == [
        *("codex", "codex,droid", "droid")
    ]


def test_an_agent_waits_for_hardly_any_module_while_there_is_room(client_dir: Path) -> None:
    stored(client_dir, a_budget(remaining=1))
    code = (
        "import sys; from stationmaster.client.hooks import gate, run; import stationmaster.cli;"
        "gate.answer(sys.argv[1], {'--agent': 'codex'}, b'{}');"
        "print(*sorted(m for m in sys.modules if m.split('.')[0] in ('stationmaster',"
        "'msgspec', 'httpx', 'typer', 'json', 're', 'typing', 'pathlib', 'subprocess')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, client_dir], check=True, capture_output=True, text=True
    )

    assert set(done.stdout.split()) == {
        "stationmaster",
        "stationmaster.agents",
        "stationmaster.agents.cards",
        "stationmaster.cli",
        "stationmaster.client",
        "stationmaster.client.hooks.gate",
        "stationmaster.client.hooks",
        "stationmaster.client.hooks.run",
    }


def test_who_is_granted_more_goes_on_at_the_first_try(
    client_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate_file, "FOLLOW_S", 0.05)
    with scripted_server() as there:
        there.read = reply(a_budget()).body
        server.save(client_dir, server.Server(there.url, "sm_key"))
        assert gate_file.refresh(str(client_dir))
        follower = threading.Thread(target=gate_file.follow, args=(str(client_dir),))
        follower.start()
        until(lambda: len(there.asked) >= 3)
        assert reason_in(decided(client_dir, PROMPT), "claude-code", "prompt")
        there.read = reply(a_budget(remaining=10**12)).body
        follower.join(60)
        assert decided(client_dir, PROMPT) is None
        before = len(there.asked)
        gate_file.follow(str(client_dir))

    assert not follower.is_alive()
    assert len(there.asked) == before


def test_what_cannot_be_fetched_is_not_followed(
    client_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate_file, "FOLLOW_S", 0.05)
    server.save(client_dir, server.Server("http://127.0.0.1:9", "sm_key"))
    stored(client_dir, a_budget())

    gate_file.follow(str(client_dir))  # Ends.

    assert gate_file.standing(client_dir).used_up == ["bud_1"]
