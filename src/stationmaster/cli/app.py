"""The program, and the one place where errors become exit codes."""

from __future__ import annotations

import sys
from typing import NoReturn

import typer

from stationmaster import __version__
from stationmaster.cli.groups import WIDTH_MAX, Program
from stationmaster.errors import MissingExtra, StationmasterError

app = typer.Typer(
    name="stationmaster",
    cls=Program,
    context_settings={"max_content_width": WIDTH_MAX},
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


def run() -> None:
    """Run the program; exit 0 only when all was done, 1 on an error, 2 on wrong usage."""
    try:
        app()
    except StationmasterError as error:
        _fail(str(error))
    except OSError as fault:
        _fail(f"{fault.filename or 'input or output'}: {fault.strerror or fault}")
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.startswith("stationmaster"):
            raise
        extra = MissingExtra("this command", "server", missing.name).detail
        _fail(f"{extra}; or name a server with --url and --key, if the command has them")
    except KeyboardInterrupt:
        sys.exit(130)


def _fail(why: str) -> NoReturn:
    """One line, whatever the reason holds."""
    sys.stderr.write(f"stationmaster: {' '.join(why.split())}\n")
    sys.exit(1)
