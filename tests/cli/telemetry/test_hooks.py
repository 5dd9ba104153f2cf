"""The `hooks` commands: into the agents' files and out again, a look, and a check."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from stationmaster.agents.cards import PRODUCTS
from stationmaster.client import server
from stationmaster.client.hooks import files as hook_files
from tests.support.commands import command, succeed
from tests.support.hooks import trust_codex

GOOD = '{"Stop": [{"hooks": [{"type": "command", "command": "beep", "timeout": 5}]}]}'


def test_hooks_are_installed_looked_at_and_removed(tmp_path: Path) -> None:
    there = ("--home", str(tmp_path))

    installed = succeed("hooks", "install", "claude-code", "cursor", *there)
    status = succeed("hooks", "status", *there)
    succeed("hooks", "remove", "claude-code", "cursor", *there)

    assert [each["agent"] for each in installed["agents"]] == ["claude-code", "cursor"]
    have = {each["agent"] for each in status["agents"] if each["hooks"]}
    assert have == {"claude-code", "cursor"}
    assert status["waiting"] == {
        "events": 0,
        "bytes": 0,
        "dropped": {"hooks": 0, "last_ms": None},
    }
    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.parametrize("search", ["/usr/bin:/bin", str(Path(sys.executable).parent)])
def test_a_persons_hooks_name_the_running_program_by_its_path_and_a_projects_do_not(
    search: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", search)
    program = Path(sys.executable).with_name("stationmaster")

    succeed("hooks", "install", "droid", "--home", str(tmp_path))
    succeed("hooks", "install", "droid", "--project", str(tmp_path / "project"))

    own = (tmp_path / ".factory" / "hooks.json").read_text()
    project = (tmp_path / "project" / ".factory" / "hooks.json").read_text()
    assert f'"{program} hook --agent droid"' in own
    assert '"stationmaster hook --agent droid"' in project


@pytest.mark.parametrize("agent", [agent for agent in sorted(PRODUCTS) if agent != "codex"])
def test_hooks_that_are_installed_run_without_the_persons_path(agent: str, tmp_path: Path) -> None:
    there = ("--home", str(tmp_path))
    succeed("hooks", "install", agent, *there)

    status = succeed("hooks", "status", *there)

    [row] = [row for row in status["agents"] if row["agent"] == agent]
    assert (row["missing"], row["problem"]) == ([], None)
    assert status["waiting"]["events"] == 0


@pytest.mark.parametrize("agent", [agent for agent in sorted(PRODUCTS) if agent != "codex"])
def test_hooks_that_cannot_run_are_bad_with_the_reason_and_the_remedy(
    agent: str, tmp_path: Path
) -> None:
    path = hook_files.path_of(agent, tmp_path, None)
    hook_files.install(agent, path, "/gone/stationmaster")

    done = command("hooks", "status", "--home", tmp_path)

    assert done.code == 1
    text = done.stdout.decode()
    assert "BAD: `/gone/stationmaster hook --agent" in text
    assert "cannot run (exit code 127: " in text
    assert f"; run `stationmaster hooks install {agent}` again" in text


def test_installing_again_repairs_hooks_of_a_program_that_is_gone(tmp_path: Path) -> None:
    path = hook_files.path_of("claude-code", tmp_path, None)
    hook_files.install("claude-code", path, "stationmaster")

    succeed("hooks", "install", "claude-code", "--home", str(tmp_path))

    assert command("hooks", "status", "--home", tmp_path).code == 0
    assert "/stationmaster hook" in path.read_text()


def test_codex_hooks_wait_for_trust_and_say_so(tmp_path: Path) -> None:
    there = ("--home", str(tmp_path))
    installed = command("hooks", "install", "codex", *there)
    before = command("hooks", "status", *there)
    trust_codex(tmp_path)

    after = command("hooks", "status", *there)

    assert "until you trust them" in installed.stderr
    assert (before.code, after.code) == (1, 0)
    assert "BAD: Codex does not run UserPromptSubmit, PostToolUse" in before.stdout.decode()


def test_own_files_are_checked_by_running_their_hooks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path = hook_files.path_of("cursor", tmp_path, None)
    hook_files.install("cursor", path, "/gone/stationmaster")
    elsewhere = tmp_path / "other" / ".cursor" / "hooks.json"
    elsewhere.parent.mkdir(parents=True)
    elsewhere.write_text(path.read_text())

    done = command("hooks", "check", path)

    assert done.code == 1
    assert b"cannot run" in done.stdout
    assert command("hooks", "check", elsewhere).code == 0


def test_the_server_of_hooks_is_kept_for_the_person_alone(tmp_path: Path) -> None:
    there = ("--home", str(tmp_path), "--url", "http://127.0.0.1:9", "--key", "sm_key")

    succeed("hooks", "install", "droid", *there)

    client_dir = tmp_path / "client"
    assert server.load(client_dir) == server.Server("http://127.0.0.1:9", "sm_key")
    assert (client_dir / server.FILE).stat().st_mode & 0o077 == 0


def test_an_address_without_a_key_is_refused_and_nothing_is_installed(tmp_path: Path) -> None:
    done = command("hooks", "install", "droid", "--home", tmp_path, "--url", "http://127.0.0.1:9")

    assert "--key" in done.error
    assert not (tmp_path / ".factory").exists()


def test_files_and_folders_of_hooks_are_checked(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "hooks" / "bad.json"
    bad.parent.mkdir()
    good.write_text(GOOD)
    bad.write_text(GOOD.replace("5", '"5"'))

    fine = command("hooks", "check", good)
    both = command("hooks", "check", good, bad.parent)
    none = command("hooks", "check", tmp_path / "nowhere")
    broken = command("hooks", "check", __file__)

    assert (fine.code, fine.stdout.decode()) == (0, f"{good}: well formed\n")
    assert both.code == 1
    assert both.stdout.decode().splitlines()[1] == (
        f"{bad}: Stop[0].hooks[0].timeout: a number of seconds is expected, not a text"
    )
    assert none.code == 1
    assert b"cannot be read" in none.stdout
    assert broken.code == 1
    assert b"line 1, column 3: Extra data" in broken.stdout


def test_an_empty_folder_is_no_configuration(tmp_path: Path) -> None:
    assert "no configuration" in command("hooks", "check", tmp_path).error


def test_what_is_installed_is_well_formed(tmp_path: Path) -> None:
    for agent in sorted(set(PRODUCTS) - {"opencode"}):
        [told] = succeed("hooks", "install", agent, "--home", str(tmp_path))["agents"]
        assert json.loads(Path(told["file"]).read_text())
        assert command("hooks", "check", told["file"]).code == 0
