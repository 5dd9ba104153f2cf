"""Asking a person before something is done that cannot be undone."""

from __future__ import annotations

import sys

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
        raise BadRequest("there is no terminal to ask at: add --yes", code="no_terminal")
