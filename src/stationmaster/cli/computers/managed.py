"""`computers create|retry|restart|refresh|logs`: computers that the platform makes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stationmaster.cli.computers.registry import Computer, computers, find
from stationmaster.cli.options import Connection, Json
from stationmaster.cli.printing import output
from stationmaster.errors import OperatorError

if TYPE_CHECKING:
    from stationmaster.cli.api import Api

_PATH = "/api/v0/computers"
_LOOK_S = 1.0


@computers.command("create")
def create_computer(
    connection: Connection,
    name: Annotated[str, typer.Argument(help="Its name.")],
    user: Annotated[str, typer.Option(help="The account that sessions use.")] = "dev",
    template: Annotated[
        str | None, typer.Option(help="Its template; by default the default one.")
    ] = None,
    repo: Annotated[
        list[str] | None, typer.Option(help="A repository to clone; can be repeated.")
    ] = None,
    install_deps: Annotated[
        bool, typer.Option("--install-deps", help="Install dependencies of the repositories.")
    ] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until it is set up.")] = False,
    json: Json = False,
) -> None:
    """Create a managed computer from a template."""
    api = connection.api()
    body: dict[str, Any] = {
        "name": name,
        "provider": "managed",
        "remoteUser": user,
        "repos": repo or [],
        "autoInstallDeps": install_deps,
    }
    if template is not None:
        body["source"] = {"kind": "template", "templateId": template}
    made = api.send("POST", _PATH, body)
    _show(api, made, wait=wait, json=json)


@computers.command("retry")
def retry_computer(
    connection: Connection,
    name: Computer,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until it is set up.")] = False,
    json: Json = False,
) -> None:
    """Set a managed computer up again after an error."""
    api = connection.api()
    made = api.send("POST", f"{_PATH}/{find(api, name)['id']}/retry")
    _show(api, made, wait=wait, json=json)


@computers.command("restart")
def restart_computer(connection: Connection, name: Computer) -> output.Shown:
    """Restart a managed computer, and wait until it is connected."""
    api = connection.api()
    yield api.send("POST", f"{_PATH}/{find(api, name)['id']}/restart", {"mode": "reboot"})
    output.remark(f"{name} was restarted.")


@computers.command("refresh")
def refresh_computer(connection: Connection, name: Computer) -> output.Shown:
    """Install secrets and credentials of repositories on a managed computer again."""
    api = connection.api()
    done = api.send("POST", f"{_PATH}/{find(api, name)['id']}/refresh")
    yield done
    output.remark(
        f"{name} has {done['secretsConfigured']} secrets and credentials for "
        f"{done['configured']} repositories."
    )


@computers.command("logs")
def show_logs(connection: Connection, name: Computer) -> output.Shown:
    """Show the logs of the setup steps of a managed computer."""
    api = connection.api()
    answer = api.get(f"/api/platform/v1/computers/{find(api, name)['id']}/steps")
    yield answer
    for step in answer["steps"]:
        output.remark(f"{step['name']}: {step['status']}")
        for line in step["log"].splitlines():
            output.remark(f"  {line}")


def _show(api: Api, made: dict[str, Any], *, wait: bool, json: bool) -> None:
    """How a computer is, with `wait` once it is set up. Raises OperatorError for one in error."""
    if wait:
        made = _settled(api, made["id"])
    if json:
        output.as_json(made)
    else:
        output.remark(f"{made['name']} ({made['id']}) is {made['status']}.")
    if made["status"] == "error":
        steps = made.get("provisioningSteps", [])
        why = next((step["error"] for step in steps if step.get("error")), "see its logs")
        raise OperatorError(f"{made['name']} could not be set up: {why}", code="computer_failed")


def _settled(api: Api, computer_id: str) -> dict[str, Any]:
    while True:
        computer: dict[str, Any] = api.get(f"{_PATH}/{computer_id}")
        if computer["status"] != "provisioning":
            return computer
        time.sleep(_LOOK_S)
