"""`computers serve --install`, with a stand-in for the program that systems start services by."""

from __future__ import annotations

from pathlib import Path

import pytest

from stationmaster.client import computer
from tests.support.commands import Done, command


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of a person whose `systemctl` only notes how it was called."""
    program = tmp_path / "bin" / "systemctl"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$*" >> {tmp_path}/calls\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("STATIONMASTER_CLIENT_DIR", str(tmp_path / "client"))
    monkeypatch.setattr("sys.platform", "linux")
    return tmp_path


def serve(*arguments: str) -> Done:
    return command("computers", "serve", *arguments)


def test_a_machine_that_is_not_registered_gets_no_service(home: Path) -> None:
    done = serve("--install")

    assert "not registered" in done.error
    assert not (home / "calls").exists()


def test_a_service_is_installed_with_its_options_and_taken_away_without_a_trace(
    home: Path,
) -> None:
    registration = computer.Registration("cmp_x", "build", "smc_secret", "http://127.0.0.1:1")
    computer.save(home / "client", computer.Machine("h1", None, registration))
    before = sorted(path for path in home.rglob("*") if path.is_file())

    assert serve("--install", "--allow-port", "8080").code == 0
    unit = home / ".config" / "systemd" / "user" / "stationmaster-computer.service"
    text = unit.read_text()
    assert '"computers" "serve" "--allow-port" "8080"' in text
    assert "smc_secret" not in text
    assert serve("--uninstall").code == 0

    calls = home / "calls"
    assert calls.read_text().splitlines()[-2:] == [
        "--user disable --now stationmaster-computer.service",
        "--user daemon-reload",
    ]
    calls.unlink()
    assert sorted(path for path in home.rglob("*") if path.is_file()) == before
