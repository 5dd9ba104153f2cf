"""`computers doctor`: everything between this machine and a login on a computer, in order."""

from __future__ import annotations

import asyncio
import subprocess
from typing import TYPE_CHECKING, Any

import typer

from stationmaster.cli.api import Api
from stationmaster.cli.computers.registry import Computer, computers, find
from stationmaster.cli.computers.remote import access_of, login_command, settings_of
from stationmaster.cli.options import Connection
from stationmaster.cli.printing import output
from stationmaster.client.relay import sockets
from stationmaster.errors import StationmasterError

if TYPE_CHECKING:
    from stationmaster.settings import Settings

_PATH = "/api/v0/computers"
_BANNER_S = 15.0
_LOGIN_S = 60.0


@computers.command("doctor")
def examine_computer(connection: Connection, name: Computer) -> None:
    """Check the requirements of a login step by step, and suggest a fix for the first failure."""
    settings = settings_of(connection)
    api = Api(settings, connection.org)
    computer = find(api, name)
    output.remark(f"ok: the server answers, and {name} is {computer['id']}")
    for what, fault in (
        ("it is set up", _status(computer)),
        ("it is connected", _connection(api.get(f"{_PATH}/{computer['id']}/connection"))),
        ("its SSH server answers", _banner(settings, computer["id"])),
        ("this machine may log in", _login(settings, computer)),
    ):
        if fault is not None:
            output.remark(f"failed: {what}. {fault}")
            raise typer.Exit(1)
        output.remark(f"ok: {what}")


def _status(computer: dict[str, Any]) -> str | None:
    if computer["status"] == "active":
        return None
    errors = [step["error"] for step in computer.get("provisioningSteps", []) if step.get("error")]
    return (
        f"It is {computer['status']}. {' '.join(errors)} `stationmaster computers logs` shows more."
    )


def _connection(shown: dict[str, Any]) -> str | None:
    if shown["state"] == "offline":
        return "Run `stationmaster computers serve` on it; its last words are printed there."
    if shown["newHostKeys"]:
        return "It shows another SSH host key than before: `stationmaster computers trust`."
    return None


def _banner(settings: Settings, computer_id: str) -> str | None:
    server, key = access_of(settings)

    async def first() -> bytes | str:
        path = f"/computers/{computer_id}/connect?port=22"
        async with sockets.dialled(server, path, key) as socket, asyncio.timeout(_BANNER_S):
            return await socket.recv()

    try:
        shown = asyncio.run(first())
    except StationmasterError as fault:
        return fault.detail
    except TimeoutError:
        return "Nothing arrived through the relay; check whether a proxy blocks WebSockets."
    is_ssh = isinstance(shown, bytes) and shown.startswith(b"SSH-")
    return None if is_ssh else "What answers there is no SSH server."


def _login(settings: Settings, computer: dict[str, Any]) -> str | None:
    command = login_command(settings, computer, "true")
    done = subprocess.run(  # noqa: S603 - this machine's ssh, with arguments of ours
        command,
        capture_output=True,
        text=True,
        timeout=_LOGIN_S,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return (done.stderr.strip() or f"ssh ends with {done.returncode}") if done.returncode else None
