"""The `hooks` commands: into the agents' files and out again, a look, and a check."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from stationmaster.client import server
from tests.support.commands import command, succeed

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


def test_a_persons_hooks_name_the_program_by_its_path_and_a_projects_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    program = shutil.which("stationmaster")
    assert program is not None

    succeed("hooks", "install", "droid", "--home", str(tmp_path))
    succeed("hooks", "install", "droid", "--project", str(tmp_path / "project"))

    own = (tmp_path / ".factory" / "hooks.json").read_text()
    project = (tmp_path / "project" / ".factory" / "hooks.json").read_text()
    assert f'"{program} hook --agent droid"' in own
    assert '"stationmaster hook --agent droid"' in project


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


def test_what_is_installed_is_well_formed_for_the_agents_that_share_the_specifications_form(
    tmp_path: Path,
) -> None:
    for agent in ("claude-code", "codex", "droid", "gemini-cli", "qwen-code"):
        [told] = succeed("hooks", "install", agent, "--home", str(tmp_path))["agents"]
        assert json.loads(Path(told["file"]).read_text())
        assert command("hooks", "check", told["file"]).code == 0
