"""`init`, `up`, `api`, `worker`: making an installation and running it."""

from __future__ import annotations

import os
import shlex
from contextlib import nullcontext
from typing import Annotated

import typer

from stationmaster import logs
from stationmaster.cli import folder, public_address
from stationmaster.cli.configure import configure
from stationmaster.cli.options import DataDir, Json
from stationmaster.cli.printing import output
from stationmaster.ids import UserId
from stationmaster.settings import Settings

DEFAULT_ORG = "default"
DEFAULT_OWNER = "owner@localhost"
_WORKERS_USUAL_MAX = 2
"""More help only where many send at once, and each takes 170 MB."""
FACTORY = "stationmaster.cli.application:from_environment"

Host = Annotated[str | None, typer.Option(help="Address to listen on.", show_default=False)]
Port = Annotated[int | None, typer.Option(help="Port to listen on.", show_default=False)]


def register(app: typer.Typer) -> None:
    """Add the commands `init`, `up`, `api` and `worker`."""
    for command in (init, up, api, worker):
        app.command()(command)


def init(
    data_dir: DataDir = None,
    org: Annotated[str, typer.Option(help="Name of the organization.")] = DEFAULT_ORG,
    owner: Annotated[str, typer.Option(help="E-mail of its owner.")] = DEFAULT_OWNER,
    json: Json = False,
) -> None:
    """Make a data folder with an organization, its owner and a first API key.

    Run again, it changes nothing.
    """
    settings = configure(data_dir)
    made = _initialise(settings, org, owner)
    if json:
        output.as_json(made)
        return
    output.as_table(["", ""], made.items())
    where = "" if data_dir is None else f" --data-dir {shlex.quote(str(data_dir))}"
    if made["api_key"] is None:
        output.say("This organization exists already; for another key run")
        output.say(f"  stationmaster keys create --name NAME{where}")
    else:
        output.say("The API key is shown this once: keep it where you keep passwords.")
    output.say("Next:")
    output.say(f"  stationmaster collect{where}   # import this machine's agent sessions")
    output.say(f"  stationmaster up{where}        # serve the pages and the API")


def up(
    data_dir: DataDir = None,
    host: Host = None,
    port: Port = None,
    gateway: Annotated[
        bool, typer.Option("--gateway", help="Also run the gateway, in a process of its own.")
    ] = False,
) -> None:
    """Run the whole platform on this machine.

    Background work runs in a second process. Makes the data folder when it is missing.
    """
    from stationmaster.api.background.worker_process import WorkerProcess
    from stationmaster.api.serving import server
    from stationmaster.cli import application
    from stationmaster.cli.operation import passing

    settings = configure(data_dir, host=host, port=port)
    _prepare(settings, settings.port, settings.grpc_port)
    if gateway:
        server.check_address(settings.host, settings.gateway_port, "STATIONMASTER_GATEWAY_PORT")
    if _has_no_organization(settings):
        made = _initialise(settings, DEFAULT_ORG, DEFAULT_OWNER)
        # Another machine may have been first all the same; then it has shown them.
        if made["api_key"] is not None:
            output.say(f"API key (shown once): {made['api_key']}")
            output.say(f"Choose a password: {_first_link(settings)}")
    _check_secret_key(settings)
    with (
        server.counting_together(settings.scratch_dir) as counts,
        passing.beside(settings) if gateway else nullcontext(),
    ):
        worker = WorkerProcess(settings, counts)
        app = application.create(settings, background=lambda _: worker)
        server.run(app, settings, settings.port, lambda: _introduce(settings))


def api(
    data_dir: DataDir = None,
    host: Host = None,
    port: Port = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=64,
            help="How many processes; by default 2, or 1 on a single core.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Run only the HTTP server."""
    from stationmaster.api.serving import server
    from stationmaster.cli import application

    settings = configure(data_dir, host=host, port=port)
    folder.check(settings)
    _prepare(settings, settings.port, settings.grpc_port)
    _check_secret_key(settings)
    _announce(settings)
    if workers is None:
        workers = _usual_workers()
        output.say(f"HTTP runs in {workers} process{'es' if workers > 1 else ''} (--workers).")
    if workers > 1:
        server.run_several(FACTORY, settings, workers)
    else:
        server.run(application.create(settings, background=None), settings, settings.port)


def _usual_workers() -> int:
    """Two where there are two cores: one process decodes on one core alone."""
    has_affinity = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    return min(cores, _WORKERS_USUAL_MAX)


def worker(
    data_dir: DataDir = None,
    host: Host = None,
    port: Annotated[
        int | None,
        typer.Option(help="Port for /healthz, /readyz and /metrics.", show_default=False),
    ] = None,
) -> None:
    """Run only the background worker."""
    from stationmaster.api.app import create_worker
    from stationmaster.api.serving import server

    settings = configure(data_dir, host=host, worker_port=port)
    folder.check(settings)
    _prepare(settings, settings.worker_port)
    _check_secret_key(settings)
    server.run(create_worker(settings), settings, settings.worker_port)


def _has_no_organization(settings: Settings) -> bool:
    from stationmaster.access import operator

    folder.make(settings)
    with folder.database(settings) as db:
        return not operator.tenants(db)


def _initialise(settings: Settings, name: str, owner: str) -> dict[str, str | None]:
    from stationmaster.access import names, operator, reads, service
    from stationmaster.lake.inbox import open_database

    email = names.email_of(owner)
    folder.make(settings)
    # Alone, because several machines may start for the first time at once.
    with folder.database(settings) as db, db.alone("first organization"):
        # Whatever takes telemetry first need not load what makes tables.
        open_database(settings).close()
        wanted = names.name_of(name)
        found = next((tenant for tenant in operator.tenants(db) if tenant.name == wanted), None)
        org_id = found.org_id if found else service.create_organization(db, wanted)
        for member in reads.list_members(db, org_id):
            if member.role == "owner":
                return {"org_id": org_id, "user_id": member.user_id, "api_key": None}
        member = service.add_member(db, org_id, email, "owner")
        _, secret = service.create_key(db, org_id, member, name="first key")
        return {"org_id": org_id, "user_id": member.user_id, "api_key": secret.reveal()}


def _first_link(settings: Settings) -> str:
    """Where the owner of a new installation chooses a password; works once, for a day."""
    from stationmaster.access import operator, service

    with folder.tenant(settings, None) as (db, org_id):
        owner = operator.owner(db, org_id)
        _, link = service.make_link(db, org_id, UserId(owner.principal_id), by=owner)
    return f"{settings.app_address}/join/{link.reveal()}"


def _announce(settings: Settings) -> None:
    """Note the server's address for other commands, and warn where only this machine can use it."""
    public_address.remember(settings)
    if settings.listens_everywhere and settings.app_url is None:
        output.say(
            f"Links name {settings.app_address}, which only this machine can open. "
            "Set STATIONMASTER_APP_URL to the address that people use."
        )


def _introduce(settings: Settings) -> None:
    """Say where the server is, and how people come in."""
    output.say(f"Stationmaster listens on http://{settings.host}:{settings.port}")
    if settings.grpc_port:
        output.say(f"OTLP/gRPC: {settings.host}:{settings.grpc_port}")
    _announce(settings)
    output.say(f"Sign in: {settings.app_address}/sign-in")
    output.say("No password yet? `stationmaster members link E-MAIL` prints a link to choose one.")
    output.say(f"Install the client on other machines: {settings.app_address}/install")


def _prepare(settings: Settings, port: int, grpc_port: int = 0) -> None:
    """Say things as the settings want them, and find out early whether the ports are free."""
    from stationmaster.api.serving import server
    from stationmaster.api.telemetry import otlp_grpc

    logs.configure(settings.log_format, settings.log_level)
    server.check_address(settings.host, port)
    if grpc_port:
        otlp_grpc.check(settings)
        server.check_address(settings.host, grpc_port, "STATIONMASTER_GRPC_PORT")


def _check_secret_key(settings: Settings) -> None:
    """Before there is a server, which would tell what is wrong in a page of frames."""
    from stationmaster.access.signing_in.signing_keys import SigningKeys
    from stationmaster.access.vault import Vault

    with folder.database(settings) as db:
        SigningKeys(db, Vault.open(settings)).check()
