"""Services that collect while a person is signed in: well formed, switched on, and gone again."""

from __future__ import annotations

import plistlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from stationmaster.client import services
from stationmaster.client.services import Service
from stationmaster.errors import BadRequest, OperatorError

COMMAND = [sys.executable, "-m", "stationmaster", "collect", "--data-dir", '/a b/50% "$HOME"\\']
VARIABLES = {"CODEX_HOME": "/x y/100%"}
TASK = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"


def made(tmp_path: Path, kind: services.Kind) -> Service:
    return services.make(kind, COMMAND, VARIABLES, tmp_path / "home", tmp_path / "client")


class System:
    """A `systemctl` that notes what it is asked, and refuses what is told."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._notes, self._refused = folder / "notes", folder / "refused"
        program = folder / "systemctl"
        folder.mkdir()
        program.write_text(
            f'#!/bin/sh\necho "$*" >> "{self._notes}"\n'
            f'for word in "$@"; do if [ -e "{self._refused}-$word" ]; then '
            'echo "no bus here" >&2; exit 1; fi; done\n'
        )
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    @property
    def asked(self) -> list[str]:
        return self._notes.read_text().splitlines() if self._notes.exists() else []

    def refuse(self, word: str) -> None:
        Path(f"{self._refused}-{word}").touch()


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    return System(tmp_path / "bin", monkeypatch)


def test_a_unit_runs_the_command_as_it_is_for_systemd(tmp_path: Path) -> None:
    service = made(tmp_path, "systemd")
    lines = service.content.decode().splitlines()

    assert service.path == tmp_path / "home/.config/systemd/user/stationmaster-collect.service"
    assert f'ExecStart="{sys.executable}" "-m" "stationmaster" "collect" "--data-dir" ' in (
        service.content.decode()
    )
    assert lines[4].endswith('"/a b/50%% \\"$$HOME\\"\\\\"')
    assert 'Environment="CODEX_HOME=/x y/100%%"' in lines


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here")
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    service = made(tmp_path, "systemd")
    unit = tmp_path / service.path.name
    unit.write_bytes(service.content)

    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)],
        env={"XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert unit.name not in done.stderr


def test_an_agent_of_launchd_is_a_property_list_that_says_the_same(tmp_path: Path) -> None:
    service = made(tmp_path, "launchd")
    agent = plistlib.loads(service.content)

    assert service.path.parent == tmp_path / "home" / "Library" / "LaunchAgents"
    assert service.path.stem == agent["Label"]
    assert agent["ProgramArguments"] == COMMAND
    assert agent["EnvironmentVariables"] == VARIABLES
    assert agent["RunAtLoad"]


@pytest.mark.parametrize(
    ("what", "stands_back"), [(services.COLLECT, True), (services.SERVE, False)]
)
def test_logins_of_a_computers_service_keep_rights_priority_and_mask_of_the_person(
    tmp_path: Path, what: services.What, stands_back: bool
) -> None:
    systemd = services.make("systemd", COMMAND, {}, tmp_path, tmp_path, what).content.decode()
    launchd = plistlib.loads(
        services.make("launchd", COMMAND, {}, tmp_path, tmp_path, what).content
    )

    for line in ("Nice=10", "UMask=0077", "NoNewPrivileges=yes"):
        assert (line in systemd.splitlines()) is stands_back
    assert ("Umask" in launchd, "ProcessType" in launchd) == (stands_back, stands_back)
    assert launchd["Label"] == what.label
    assert (launchd["RunAtLoad"], launchd["KeepAlive"]) == (True, {"SuccessfulExit": False})


def test_a_task_starts_when_its_person_signs_in_and_asks_for_no_rights(tmp_path: Path) -> None:
    service = made(tmp_path, "task-scheduler")
    task = ET.fromstring(service.content)

    def text(path: str) -> str | None:
        return task.findtext("/".join(f"{TASK}{name}" for name in path.split("/")))

    assert service.content.startswith((b"\xff\xfe", b"\xfe\xff"))
    assert task.tag == f"{TASK}Task"
    assert [child.tag.removeprefix(TASK) for child in task] == [
        "RegistrationInfo",
        "Triggers",
        "Principals",
        "Settings",
        "Actions",
    ]
    assert text("Actions/Exec/Command") == sys.executable
    assert text("Actions/Exec/Arguments") == subprocess.list2cmdline(COMMAND[1:])
    assert text("Principals/Principal/RunLevel") == "LeastPrivilege"
    assert text("Settings/ExecutionTimeLimit") == "PT0S"


@pytest.mark.parametrize("kind", services.KINDS)
def test_no_file_takes_a_line_of_its_own_from_a_variable(
    tmp_path: Path, kind: services.Kind
) -> None:
    with pytest.raises(BadRequest, match="cannot be given"):
        services.make(kind, COMMAND, {"A": "x\nExecStart=evil"}, tmp_path, tmp_path)


def test_installing_writes_the_file_and_switches_it_on(tmp_path: Path, system: System) -> None:
    service = made(tmp_path, "systemd")
    services.install(service)

    assert service.path.read_bytes() == service.content
    assert [path.name for path in service.path.parent.iterdir()] == [service.path.name]
    assert system.asked == [
        "--user daemon-reload",
        "--user enable stationmaster-collect.service",
        "--user restart stationmaster-collect.service",
    ]
    assert services.is_running(service)


def test_taking_it_away_leaves_nothing_and_is_done_once(tmp_path: Path, system: System) -> None:
    service = made(tmp_path, "systemd")
    services.install(service)
    begun = len(system.asked)

    services.uninstall(service)
    services.uninstall(service)

    assert not list(service.path.parent.iterdir())
    assert system.asked[begun:] == [
        "--user disable --now stationmaster-collect.service",
        "--user daemon-reload",
    ]


def test_a_system_that_refuses_has_no_file_left(tmp_path: Path, system: System) -> None:
    system.refuse("enable")
    service = made(tmp_path, "systemd")

    with pytest.raises(OperatorError, match=r"enable stationmaster-collect\.service`: no bus here"):
        services.install(service)

    assert not service.path.exists()


def test_a_service_that_does_not_stop_keeps_its_file(tmp_path: Path, system: System) -> None:
    service = made(tmp_path, "systemd")
    services.install(service)
    system.refuse("disable")

    with pytest.raises(OperatorError, match="no bus here"):
        services.uninstall(service)

    assert service.path.exists()


def test_a_machine_without_systemd_is_told_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    service = made(tmp_path, "systemd")

    with pytest.raises(OperatorError, match=r"has no systemctl; run the command by other means"):
        services.install(service)

    assert not service.path.exists()
    assert not services.is_running(service)
