"""Running a command whenever a person is signed in, by what each system has for it.

A service is one file and some commands of the system; taking it away removes both without a trace.
None of it needs an administrator. Formats: systemd.service(5), launchd.plist(5), and the schema of
the Task Scheduler, version 1.2.
"""

from __future__ import annotations

import getpass
import os
import plistlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

from stationmaster.agents import cards
from stationmaster.agents.cards.home import Home
from stationmaster.errors import BadRequest, OperatorError
from stationmaster.settings import PREFIX, Settings, variable

Kind = Literal["systemd", "launchd", "task-scheduler"]
KINDS: tuple[Kind, ...] = ("systemd", "launchd", "task-scheduler")
_TASK_NAMESPACE = "http://schemas.microsoft.com/windows/2004/02/mit/task"
_RESTART_S = 30
_COMMAND_S = 60


class What(NamedTuple):
    """What a service is called by systemd and by Windows, by launchd, and for people; whether it
    has a lower priority than the person's work, or people work in what it starts."""

    name: str
    label: str
    about: str
    has_low_priority: bool


COLLECT = What(
    "stationmaster-collect",
    "dev.stationmaster.collect",
    "Send counts and names of what coding agents do here to Stationmaster",
    has_low_priority=True,
)
SERVE = What(
    "stationmaster-computer",
    "dev.stationmaster.computer",
    "Make this computer reachable through Stationmaster",
    has_low_priority=False,
)


class Service(NamedTuple):
    """The file of a service, and the commands that switch it on and off and ask for it."""

    path: Path
    content: bytes
    on: tuple[tuple[str, ...], ...]
    off: tuple[tuple[str, ...], ...]
    ask: tuple[str, ...]


def kind_of_this_system() -> Kind:
    """What runs services here: launchd on macOS, the Task Scheduler on Windows, else systemd."""
    return {"darwin": "launchd", "win32": "task-scheduler"}.get(sys.platform, "systemd")  # type: ignore[return-value]  # the values are kinds


def make(
    kind: Kind,
    command: Sequence[str],
    variables: Mapping[str, str],
    home: Path,
    folder: Path,
    what: What = COLLECT,
) -> Service:
    """The service that runs a command with these variables in addition to the person's own.

    `home` is the person's home folder, `folder` where the client keeps things. Raises BadRequest
    for what no such file can hold.
    """
    for text in (*command, *variables, *variables.values()):
        if not text.isprintable():
            raise BadRequest(f"a service cannot be given {text!r}", code="bad_service")
    if kind == "systemd":
        return _systemd(what, command, variables, home)
    if kind == "launchd":
        return _launchd(what, command, variables, home)
    return _task(what, command, folder)


def install(service: Service) -> None:
    """Write the file and switch the service on; where that fails, nothing of it is left.

    One that is there already is replaced. Raises OperatorError.
    """
    path = service.path
    if path.exists():
        with suppress(OperatorError):
            uninstall(service)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.write_bytes(service.content)
    draft.replace(path)
    try:
        for command in service.on:
            _run(command)
    except OperatorError:
        for command in service.off:
            with suppress(OperatorError):
                _run(command)
            path.unlink(missing_ok=True)
        raise


def uninstall(service: Service) -> None:
    """Switch the service off and remove its file, or do nothing where there is none. Raises
    OperatorError where the system does not do so: then the file stays."""
    if not service.path.exists():
        return
    for command in service.off:
        _run(command)
        service.path.unlink(missing_ok=True)


def is_running(service: Service) -> bool:
    """Does the system report that it runs? False as well where there is no such system."""
    try:
        _run(service.ask)
    except OperatorError:
        return False
    return True


def _systemd(
    what: What, command: Sequence[str], variables: Mapping[str, str], home: Path
) -> Service:
    configured = variables.get("XDG_CONFIG_HOME")
    folder = Path(configured) if configured else home / ".config"
    unit = f"{what.name}.service"
    environment = "".join(
        f"Environment={_quoted(f'{name}={value}')}\n" for name, value in variables.items()
    )
    limits = "Nice=10\nUMask=0077\nNoNewPrivileges=yes\n" if what.has_low_priority else ""
    text = (
        f"[Unit]\nDescription={what.about}\n\n"
        f"[Service]\nExecStart={' '.join(map(_argument, command))}\n{environment}"
        f"Restart=on-failure\nRestartSec={_RESTART_S}\n{limits}\n"
        "[Install]\nWantedBy=default.target\n"
    )
    control = ("systemctl", "--user")
    return Service(
        folder / "systemd" / "user" / unit,
        text.encode(),
        on=(
            (*control, "daemon-reload"),
            (*control, "enable", unit),
            # It may run already, with other arguments.
            (*control, "restart", unit),
        ),
        off=((*control, "disable", "--now", unit), (*control, "daemon-reload")),
        ask=(*control, "is-active", "--quiet", unit),
    )


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def _argument(text: str) -> str:
    return _quoted(text.replace("$", "$$"))


def _launchd(
    what: What, command: Sequence[str], variables: Mapping[str, str], home: Path
) -> Service:
    path = home / "Library" / "LaunchAgents" / f"{what.label}.plist"
    agent = {
        "Label": what.label,
        "ProgramArguments": list(command),
        "EnvironmentVariables": dict(variables),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": _RESTART_S,
        **({"ProcessType": "Background", "Umask": 0o077} if what.has_low_priority else {}),
    }
    domain = f"gui/{os.getuid() if hasattr(os, 'getuid') else 0}"
    return Service(
        path,
        plistlib.dumps(agent),
        on=(("launchctl", "bootstrap", domain, str(path)),),
        off=(("launchctl", "bootout", f"{domain}/{what.label}"),),
        ask=("launchctl", "print", f"{domain}/{what.label}"),
    )


def _task(what: What, command: Sequence[str], folder: Path) -> Service:
    # A task has its person's own variables, which are not those of one window alone.
    task = ET.Element("Task", {"version": "1.2", "xmlns": _TASK_NAMESPACE})
    about = ET.SubElement(task, "RegistrationInfo")
    _texts(about, Description=what.about)
    trigger = ET.SubElement(ET.SubElement(task, "Triggers"), "LogonTrigger")
    _texts(trigger, Enabled="true", UserId=getpass.getuser())
    principal = ET.SubElement(ET.SubElement(task, "Principals"), "Principal", {"id": "Author"})
    _texts(
        principal,
        UserId=getpass.getuser(),
        LogonType="InteractiveToken",
        RunLevel="LeastPrivilege",
    )
    settings = ET.SubElement(task, "Settings")
    _texts(
        settings,
        MultipleInstancesPolicy="IgnoreNew",
        DisallowStartIfOnBatteries="false",
        StopIfGoingOnBatteries="false",
        ExecutionTimeLimit="PT0S",
        Hidden="true",
        Priority="7",
    )
    _texts(ET.SubElement(settings, "RestartOnFailure"), Interval="PT1M", Count="999")
    program, *arguments = command
    execution = ET.SubElement(ET.SubElement(task, "Actions", {"Context": "Author"}), "Exec")
    _texts(execution, Command=program, Arguments=subprocess.list2cmdline(arguments))
    path = folder / f"{what.name}.xml"
    return Service(
        path,
        ET.tostring(task, encoding="utf-16"),
        on=(
            ("schtasks", "/Create", "/F", "/TN", what.name, "/XML", str(path)),
            ("schtasks", "/Run", "/TN", what.name),
        ),
        off=(("schtasks", "/Delete", "/F", "/TN", what.name),),
        ask=("schtasks", "/Query", "/TN", what.name),
    )


def _texts(parent: ET.Element, **texts: str) -> None:
    for name, text in texts.items():
        ET.SubElement(parent, name).text = text


def _run(command: tuple[str, ...]) -> None:
    program = shutil.which(command[0])
    if program is None:
        raise OperatorError(
            f"this system has no {command[0]}; run the command by other means",
            code="no_services",
        )
    try:
        done = subprocess.run(  # noqa: S603 - the system's own program, with arguments of ours
            [program, *command[1:]],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_COMMAND_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise OperatorError(f"`{' '.join(command)}`: {fault}", code="no_services") from fault
    if done.returncode:
        why = (done.stderr or done.stdout).strip() or f"it ends with {done.returncode}"
        raise OperatorError(f"`{' '.join(command)}`: {why}", code="no_services")


def variables(settings: Settings) -> dict[str, str]:
    """What moves agents' folders here, and the client's: a service does not see a shell's own."""
    home = Home(str(Path.home()), variable)
    for card in cards.every():
        home.roots(card.files)
    variables = {name: value for name, value in sorted(home.asked.items()) if value}
    if variable(f"{PREFIX}CLIENT_DIR"):
        variables[f"{PREFIX}CLIENT_DIR"] = str(settings.client_dir.resolve())
    return variables
