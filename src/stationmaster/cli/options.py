"""Options that several commands share, so that each has one name, one help text, one meaning; and
the question that `--yes` answers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from stationmaster.errors import BadRequest


def confirm(question: str, yes: bool, *, or_fail: bool = False) -> None:
    """Return when a person at a terminal agrees, or with `yes`; typer.Abort where they do not.

    A script without a terminal is not asked; with `or_fail` it has to say --yes (BadRequest).
    """
    if yes:
        return
    if sys.stdin.isatty():
        typer.confirm(question, abort=True, err=True)
    elif or_fail:
        raise BadRequest("there is no terminal to ask in: add --yes", code="no_terminal")


DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", help="The data folder.", show_default=False),
]
Org = Annotated[
    str | None,
    typer.Option("--org", help="Name or id of the organization; needed when there are several."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
Url = Annotated[
    str | None, typer.Option("--url", help="A server's address instead of a local data folder.")
]
Limit = Annotated[int, typer.Option(help="How many.", min=1)]
Host = Annotated[str | None, typer.Option(help="Address to listen on.", show_default=False)]
Port = Annotated[int | None, typer.Option(help="Port to listen on.", show_default=False)]
Wide = Annotated[bool, typer.Option("--wide", help="Show all columns.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]
Key = Annotated[
    str | None,
    typer.Option(
        "--key",
        help="An API key for --url. STATIONMASTER_KEY keeps it out of lists of processes.",
    ),
]

PLACES = {
    "place": {"data_dir": DataDir, "org": Org},
    "connection": {"data_dir": DataDir, "org": Org, "url": Url, "key": Key},
}
"""Those of `configure.Place` and of `configure.Connection`, by their fields."""
