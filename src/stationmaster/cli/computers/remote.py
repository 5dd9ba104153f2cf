"""`computers serve|ssh|ssh-config|port-forward|cp|trust`: reaching computers through the relay."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import sys
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from stationmaster.cli.api import Api
from stationmaster.cli.computers import service as computers_service
from stationmaster.cli.computers.registry import Computer, computers, find
from stationmaster.cli.configuring import configure
from stationmaster.cli.options import Connection, DataDir, Json, Url, Yes, confirm
from stationmaster.cli.printing import output
from stationmaster.client import computer
from stationmaster.client.relay import agent, forwarding, login, sockets
from stationmaster.client.relay.agent import Agent, Removed
from stationmaster.client.relay.login import Login
from stationmaster.client.relay.ssh_server import SshServer
from stationmaster.client.sessions import programs
from stationmaster.client.sessions.local import LocalSessions
from stationmaster.errors import BadRequest, NotFound, OperatorError
from stationmaster.relay_messages import PORTS_MAX, SSH_PORT, Close
from stationmaster.settings import PREFIX, Settings, export_variable

if TYPE_CHECKING:
    from stationmaster.client.computer import Machine, Registration

REMOVED = 3
"""The exit status when a computer was removed."""
_PATH = "/api/v0/computers"
_REMOTE = re.compile(r"([a-z0-9][a-z0-9_-]*):(.*)", re.DOTALL)
"""A path on a computer, as `cp` takes it."""


@computers.command("serve")
def serve_computer(
    allow_port: Annotated[
        list[str] | None,
        typer.Option(
            help="A port, or FIRST-LAST, that may be reached here in addition to SSH; can be "
            "repeated. Without it: 1024-65535."
        ),
    ] = None,
    allow_agent: Annotated[
        list[str] | None,
        typer.Option(
            help="A coding agent whose sessions may be started remotely, or NAME=COMMAND for one "
            "with the Agent Client Protocol; can be repeated. Without it: none."
        ),
    ] = None,
    workspace: Annotated[
        list[Path] | None,
        typer.Option(
            help="A folder in and below which agents may work; can be repeated. Without it: the "
            "current one."
        ),
    ] = None,
    install: Annotated[
        bool,
        typer.Option(
            "--install", help="Install a service that does so whenever you are signed in."
        ),
    ] = False,
    uninstall: Annotated[bool, typer.Option("--uninstall", help="Remove that service.")] = False,
    data_dir: DataDir = None,
    url: Url = None,
) -> None:
    """Make this registered machine reachable, over outgoing connections only."""
    settings = configure(data_dir, url=url)
    if install or uninstall:
        options = {
            "--allow-port": allow_port,
            "--allow-agent": allow_agent,
            "--workspace": workspace,
        }
        computers_service.change(settings, options, removes=uninstall)
    else:
        _serve(settings, allow_port or [], allow_agent or [], workspace)


def _serve(
    settings: Settings, ports: list[str], agents: list[str], workspace: list[Path] | None
) -> None:
    folder = settings.client_dir
    machine, registration = _registered(folder)
    server = settings.url or registration.url
    if server is None:
        raise BadRequest("name the server: --url or STATIONMASTER_URL", code="no_url")
    ssh = SshServer(folder / "ssh-server")
    sessions_here = LocalSessions(programs.allowed(agents), _folders(workspace))
    agent = Agent(server, machine, registration, ssh, _ports(ports), sessions_here, output.remark)
    try:
        _run(agent.run())
    except Removed:
        computer.unregister(folder)
        output.remark("This computer was removed at the server; its credential here is deleted.")


@computers.command("ssh", context_settings={"ignore_unknown_options": True})
def ssh_to_computer(
    connection: Connection,
    name: Computer,
    command: Annotated[
        list[str] | None, typer.Argument(help="The command to run; by default a shell.")
    ] = None,
    user: Annotated[
        str | None, typer.Option(help="The account; by default that of the computer's agent.")
    ] = None,
    proxy: Annotated[
        bool, typer.Option("--proxy", help="Act as the ProxyCommand of ssh, for editors.")
    ] = False,
) -> None:
    """Log in to a computer with this machine's ssh, or run a command there."""
    settings = settings_of(connection)
    api = Api(settings, connection.org)
    record = find(api, name)
    if proxy:
        raise typer.Exit(_proxy(api, settings, Login(settings.client_dir), record["id"]))
    _replace(login_command(settings, record, *(command or []), user=user))


@computers.command("cp")
def copy_files(
    connection: Connection,
    source: Annotated[str, typer.Argument(help="A path here, or NAME:PATH of a computer.")],
    target: Annotated[str, typer.Argument(help="The same.")],
    recursive: Annotated[bool, typer.Option("--recursive", "-r", help="Copy folders.")] = False,
) -> None:
    """Copy files to or from a computer."""
    settings = settings_of(connection)
    remote = [match for match in (_REMOTE.fullmatch(source), _REMOTE.fullmatch(target)) if match]
    if len(remote) != 1:
        raise BadRequest("one of the two paths is on a computer, as NAME:PATH", code="bad_path")
    record = find(Api(settings, connection.org), remote[0][1])
    login = Login(settings.client_dir)
    login.public_key()
    there = f"{_user(record)}@{record['id']}:{remote[0][2]}"
    paths = [there if _REMOTE.fullmatch(path) else str(Path(path)) for path in (source, target)]
    options = [*(["-r"] if recursive else []), *login.arguments(record["id"])]
    _replace(["scp", "-q", *options, "--", *paths])


@computers.command("ssh-config")
def configure_ssh(
    connection: Connection,
    install: Annotated[
        bool, typer.Option("--install", help="Write the entries into ~/.ssh/config.")
    ] = False,
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove the entries from ~/.ssh/config.")
    ] = False,
) -> None:
    """Print or install entries of ssh_config, `sm-NAME` for each computer, for editors and scp."""
    config = Path.home() / ".ssh" / "config"
    if remove:
        login.install(config, [])
        output.remark(f"The entries are removed from {config}.")
        return
    settings = settings_of(connection)
    own = login.Login(settings.client_dir)
    own.public_key()
    records = Api(settings, connection.org).get(_PATH)["computers"]
    blocks = [
        own.block(f"sm-{record['name']}", record["id"], record["remoteUser"])
        for record in records
        if record.get("remoteUser")
    ]
    if install:
        login.install(config, blocks)
        output.remark(f"{config} has {len(blocks)} entries: ssh sm-NAME.")
    else:
        typer.echo("\n\n".join(blocks))


@computers.command("port-forward")
def forward_ports(
    connection: Connection,
    name: Computer,
    mapping: Annotated[
        list[str],
        typer.Argument(help="LOCAL:REMOTE, PORT for the same on both sides, or :REMOTE."),
    ],
    address: Annotated[
        str,
        typer.Option(
            help="The address to listen on; any other than loopback is open to the network."
        ),
    ] = "127.0.0.1",
    json: Json = False,
) -> None:
    """Forward local ports to ports of a computer, until interrupted."""
    settings = settings_of(connection)
    mappings = forwarding.mappings(mapping)
    record = find(Api(settings, connection.org), name)
    if address not in ("127.0.0.1", "::1", "localhost"):
        output.remark(f"Everyone who can reach {address} can reach these ports of {name}.")

    def remark(event: dict[str, Any]) -> None:
        if json:
            typer.echo(msgspec.json.encode(event))
        elif event["event"] == "listening":
            output.remark(
                f"{event['address']}:{event['local']} leads to port {event['remote']} of {name}."
            )
        else:
            output.remark(f"Not connected: {event['detail']}")

    server, credential = access_of(settings)
    tunnel = forwarding.Forwarding(server, credential, record["id"], remark)
    try:
        _run(tunnel.run(mappings, address))
    except forwarding.ComputerRemoved:
        output.remark(f"{name} was removed.")
        raise typer.Exit(REMOVED) from None


@computers.command("trust")
def trust_computer(connection: Connection, name: Computer, yes: Yes = False) -> None:
    """Trust the current SSH host key of a computer, after it was reinstalled."""
    api = connection.api()
    record = find(api, name)
    shown = api.get(f"{_PATH}/{record['id']}/connection")["newHostKeys"]
    if not shown:
        output.remark(f"{name} shows the host key that is trusted.")
        return
    confirm(f"Trust {' and '.join(shown)} of {name} from now on?", yes, or_fail=True)
    api.send("POST", f"{_PATH}/{record['id']}/host-keys/trust")
    output.remark(f"The host key of {name} is trusted.")


def login_command(
    settings: Settings, record: dict[str, Any], *command: str, user: str | None = None
) -> list[str]:
    """What logs in to a computer with this machine's `ssh`, or runs a command there."""
    login = Login(settings.client_dir)
    login.public_key()
    address = f"{user or _user(record)}@{record['id']}"
    return ["ssh", *login.arguments(record["id"]), address, *(["--", *command] if command else [])]


def _proxy(api: Api, settings: Settings, login: Any, computer_id: str) -> int:
    grant = api.send("POST", f"{_PATH}/{computer_id}/ssh-grants", {"publicKey": login.public_key()})
    login.know(computer_id, grant["hostKeys"])
    server, key = access_of(settings)
    path = f"/computers/{computer_id}/connect?port={SSH_PORT}"
    code = asyncio.run(sockets.connect_standard_streams(server, path, key))
    return 0 if code in (Close.FINISHED, 1005, 1006) else 1


def settings_of(connection: Connection) -> Settings:
    """With a server's address and a key, which programs that are started from here get, too."""
    settings = connection.settings()
    server, credential = access_of(settings)
    export_variable(f"{PREFIX}URL", server)
    export_variable(f"{PREFIX}KEY", credential)
    return settings


def access_of(settings: Settings) -> tuple[str, str]:
    """The address of a server, and a key. Raises BadRequest where one is not given."""
    if settings.url is None or settings.key is None:
        raise BadRequest(
            "this needs a server and a key: --url and --key, or STATIONMASTER_URL and "
            "STATIONMASTER_KEY",
            code="no_url",
        )
    return settings.url, settings.key


def _user(record: dict[str, Any]) -> str:
    user = record.get("remoteUser")
    if user is None:
        raise NotFound("it is not known which account to use: --user", code="no_user")
    return str(user)


def _ports(texts: list[str] | None) -> tuple[tuple[int, int], ...]:
    if not texts:
        return agent.DEFAULT_PORTS
    ports = [(SSH_PORT, SSH_PORT)]
    for text in texts:
        first, _, last = text.partition("-")
        pair = [forwarding.mapping(port).remote for port in (first, last or first)]
        if pair[0] > pair[1]:
            raise BadRequest(f"'{text}' is no range of ports", code="bad_port")
        ports.append((pair[0], pair[1]))
    if len(ports) > PORTS_MAX:
        raise BadRequest(f"at most {PORTS_MAX} ranges of ports are possible", code="bad_port")
    return tuple(ports)


def _registered(folder: Path) -> tuple[Machine, Registration]:
    """This machine, as it is registered. Raises BadRequest, and OperatorError for a copy."""
    machine = computer.load(folder)
    if machine is None or machine.registration is None:
        raise BadRequest(
            "this machine is not registered: `stationmaster computers register`",
            code="not_registered",
        )
    if computer.is_copy(machine):
        raise OperatorError(
            "this disk was copied from another machine: `stationmaster computers remove`, then "
            "`register`",
            code="disk_copied",
        )
    return machine, machine.registration


def _folders(workspaces: list[Path] | None) -> list[Path]:
    folders = workspaces or [Path.cwd()]
    if missing := [str(folder) for folder in folders if not folder.is_dir()]:
        raise BadRequest(f"there is no folder {missing[0]}", code="no_workspace")
    return folders


def _run(work: Coroutine[Any, Any, None]) -> None:
    """Run until it ends, or until a signal to stop."""

    async def until_stopped() -> None:
        loop = asyncio.get_running_loop()
        task = asyncio.create_task(work)
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, task.cancel)
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(until_stopped())


def _replace(command: list[str]) -> None:
    """Become another program."""
    program = shutil.which(command[0])
    if program is None:
        raise OperatorError(f"`{command[0]}` is missing: install OpenSSH's client", code="no_ssh")
    sys.stdout.flush()
    os.execv(program, command)  # noqa: S606 - a program of the system, without a shell
