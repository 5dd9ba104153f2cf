"""`collect install`, `uninstall`, `status`: from the command line to the file and back."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from stationmaster.client import server
from tests.client.test_services import System
from tests.support.commands import command, succeed

TO_SERVER = ("--url", "https://stationmaster.example", "--key", "sm_SECRET")


@pytest.fixture(autouse=True)
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    return System(tmp_path / "bin", monkeypatch)


def test_installed_it_runs_and_uninstalled_it_is_gone(tmp_path: Path, system: System) -> None:
    installed = succeed("collect", "install", *TO_SERVER)
    assert (installed["installed"], installed["running"]) == (True, True)
    assert succeed("collect", "status") == installed
    unit = Path(installed["file"]).read_text()
    assert '"collect" "--watch"\n' in unit
    assert f"STATIONMASTER_CLIENT_DIR={tmp_path}/client" in unit

    system.refuse("is-active")
    gone = succeed("collect", "uninstall")

    assert (gone["installed"], gone["running"]) == (False, False)
    assert not Path(installed["file"]).exists()


def test_a_key_is_kept_where_only_its_owner_reads_it(tmp_path: Path) -> None:
    installed = succeed("collect", "install", *TO_SERVER)

    assert "sm_SECRET" not in Path(installed["file"]).read_text()
    assert (tmp_path / "client" / server.FILE).stat().st_mode & 0o077 == 0
    known = server.load(tmp_path / "client")
    assert known == server.Server("https://stationmaster.example", "sm_SECRET")


@pytest.mark.parametrize("kind", ["systemd", "launchd", "task-scheduler"])
def test_what_is_printed_changes_nothing(tmp_path: Path, system: System, kind: str) -> None:
    shown = command("collect", "install", "--print", "--kind", kind, *TO_SERVER)

    assert shown.code == 0
    assert b"--watch" in shown.stdout
    assert b"sm_SECRET" not in shown.stdout + shown.stderr.encode()
    assert not system.asked
    assert not (tmp_path / "client").exists()
    assert not (tmp_path / "home").exists()


def test_a_data_folder_and_what_moves_agents_are_given_on(
    made: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", "/srv/codex")

    installed = succeed("collect", "install", "--data-dir", made["data"], "--since", "30d")

    unit = Path(installed["file"]).read_text()
    assert f'"--data-dir" "{made["data"]}" "--since" "30d"' in unit
    assert 'Environment="CODEX_HOME=/srv/codex"' in unit


def test_without_a_destination_nothing_is_installed(system: System) -> None:
    done = command("collect", "install")

    assert done.error == (
        "name a destination: a server with --url and --key, or a folder with --data-dir"
    )
    assert not system.asked


def test_options_before_the_word_are_not_passed_over() -> None:
    assert command("collect", "--watch", "install").error == "put options after `install`"


def test_a_date_that_is_none_is_refused_before_it_is_installed(system: System) -> None:
    assert "takes a date" in command("collect", "install", *TO_SERVER, "--since", "soon").error
    assert not system.asked


def test_the_report_for_a_person_is_one_line(tmp_path: Path) -> None:
    done = command("collect", "status")

    assert done.stdout.decode() == (
        "not installed, running: "
        f"{tmp_path}/home/.config/systemd/user/stationmaster-collect.service\n"
    )
    assert json.loads(command("collect", "status", "--json").stdout)["installed"] is False
