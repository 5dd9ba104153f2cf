"""The program: its command groups, and the one place where errors become exit codes."""

from __future__ import annotations

import sys

import typer

from stationmaster import __version__
from stationmaster.cli import access, doctor, feed, reports, serve
from stationmaster.errors import StationmasterError

app = typer.Typer(
    name="stationmaster",
    help="The self-hosted platform on which an organization runs its AI coding agents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"stationmaster {__version__}")
        raise typer.Exit


@app.callback()
def program(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Every command takes its settings from STATIONMASTER_… variables too; flags win."""


for group in (serve, feed, reports, access, doctor):
    group.register(app)


def run() -> None:
    """Run the program; exit 0 only when all was done, 1 on an error, 2 on wrong usage."""
    try:
        app()
    except StationmasterError as error:
        sys.stderr.write(f"stationmaster: {error.detail}\n")
        sys.exit(1)
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.startswith("stationmaster"):
            raise
        sys.stderr.write(
            f"stationmaster: this command needs '{missing.name}': "
            "install it with `pip install 'stationmaster[server]'`\n"
        )
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
