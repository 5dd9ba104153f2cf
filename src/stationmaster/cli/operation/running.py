"""What `up`, `api` and `worker` run: the server and the background worker."""

from __future__ import annotations

import os
from contextlib import nullcontext

from stationmaster.api.application import create_worker
from stationmaster.api.background.worker_process import WorkerProcess
from stationmaster.api.serving import server
from stationmaster.cli import folder, public_address
from stationmaster.cli.operation import installation, passing
from stationmaster.cli.printing import output
from stationmaster.settings import Settings

_WORKERS_USUAL_MAX = 2
"""More are useful only where many send at the same time, and each takes 170 MB."""
FACTORY = "stationmaster.cli.application:from_environment"


def up(settings: Settings, *, with_gateway: bool) -> None:
    """Run the server, the worker in a second process, and where wanted the gateway in a third."""
    from stationmaster.cli import application  # A worker does without the routes and the pages.

    server.prepare(settings, settings.port, settings.grpc_port)
    if with_gateway:
        server.check_address(settings.host, settings.gateway_port, "STATIONMASTER_GATEWAY_PORT")
    if not installation.has_organization(settings):
        made = installation.create(settings, installation.DEFAULT_ORG, installation.DEFAULT_OWNER)
        # Another machine may still have been first; then it has shown them.
        if made["api_key"] is not None:
            output.remark(f"API key (shown once): {made['api_key']}")
            output.remark(f"Choose a password: {installation.first_link(settings)}")
    _check_secret_key(settings)
    with (
        server.counting_together(settings.scratch_dir) as counts,
        passing.gateway_process(settings) if with_gateway else nullcontext(),
    ):
        worker = WorkerProcess(settings, counts)
        app = application.create(settings, background=lambda _: worker)
        server.run(app, settings, settings.port, lambda: _introduce(settings))


def api(settings: Settings, workers: int | None) -> None:
    """Run the HTTP server in as many processes, without background work."""
    from stationmaster.cli import application

    folder.check(settings)
    server.prepare(settings, settings.port, settings.grpc_port)
    _check_secret_key(settings)
    _announce(settings)
    if workers is None:
        workers = _usual_workers()
        output.remark(f"HTTP runs in {workers} process{'es' if workers > 1 else ''} (--workers).")
    if workers > 1:
        server.run_several(FACTORY, settings, workers)
    else:
        server.run(application.create(settings, background=None), settings, settings.port)


def worker(settings: Settings) -> None:
    """Run the background worker."""
    folder.check(settings)
    server.prepare(settings, settings.worker_port)
    _check_secret_key(settings)
    server.run(create_worker(settings), settings, settings.worker_port)


def _usual_workers() -> int:
    """Two where there are two cores: one process decodes on one core alone."""
    has_affinity = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    return min(cores, _WORKERS_USUAL_MAX)


def _announce(settings: Settings) -> None:
    """Note the server's address for other commands, and warn where only this machine can use it."""
    public_address.remember(settings)
    if settings.listens_everywhere and settings.app_url is None:
        output.remark(
            f"Links name {settings.app_address}, which only this machine can open. "
            "Set STATIONMASTER_APP_URL to the address that people use."
        )


def _introduce(settings: Settings) -> None:
    """Print the server's address, and how people sign in."""
    output.remark(f"Stationmaster listens on http://{settings.host}:{settings.port}")
    if settings.grpc_port:
        output.remark(f"OTLP/gRPC: {settings.host}:{settings.grpc_port}")
    _announce(settings)
    output.remark(f"Sign in: {settings.app_address}/sign-in")
    output.remark(
        "No password yet? `stationmaster members link E-MAIL` prints a link to choose one."
    )
    output.remark(f"Install the client on other machines: {settings.app_address}/install")


def _check_secret_key(settings: Settings) -> None:
    """Before there is a server, which would report what is wrong in a page of frames."""
    with folder.database(settings) as db:
        installation.check_secret_key(settings, db)
