"""`init`, `up`, `api`, `worker`: making an installation and running it."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from stationmaster.cli.configuring import configure
from stationmaster.cli.operation import installation
from stationmaster.cli.options import DataDir, Host, Port
from stationmaster.cli.printing import output


def init(
    data_dir: DataDir = None,
    org: Annotated[str, typer.Option(help="Name of the organization.")] = installation.DEFAULT_ORG,
    owner: Annotated[str, typer.Option(help="E-mail of its owner.")] = installation.DEFAULT_OWNER,
) -> output.Shown:
    """Create a data folder with an organization, its owner and a first API key.

    Running it again changes nothing.
    """
    settings = configure(data_dir)
    made = installation.create(settings, org, owner)
    yield made
    output.as_table(["", ""], made.items())
    where = "" if data_dir is None else f" --data-dir {shlex.quote(str(data_dir))}"
    if made["api_key"] is None:
        output.remark("This organization exists already; for another key run")
        output.remark(f"  stationmaster keys create --name NAME{where}")
    else:
        output.remark("The API key is shown once: keep it where you keep passwords.")
    output.remark("Next:")
    output.remark(f"  stationmaster collect{where}   # import this machine's agent sessions")
    output.remark(f"  stationmaster up{where}        # serve the pages and the API")


def up(
    data_dir: DataDir = None,
    host: Host = None,
    port: Port = None,
    gateway: Annotated[
        bool, typer.Option("--gateway", help="Also run the gateway, in a separate process.")
    ] = False,
) -> None:
    """Run the whole platform on this machine.

    Background work runs in a second process. Creates the data folder if it is missing.
    """
    # The server takes a second to load, which help and mistakes need not wait for.
    from stationmaster.cli.operation import running

    running.up(configure(data_dir, host=host, port=port), with_gateway=gateway)


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
    from stationmaster.cli.operation import running

    running.api(configure(data_dir, host=host, port=port), workers)


def worker(
    data_dir: DataDir = None,
    host: Host = None,
    port: Annotated[
        int | None,
        typer.Option(help="Port for /healthz, /readyz and /metrics.", show_default=False),
    ] = None,
) -> None:
    """Run only the background worker."""
    from stationmaster.cli.operation import running

    running.worker(configure(data_dir, host=host, worker_port=port))
