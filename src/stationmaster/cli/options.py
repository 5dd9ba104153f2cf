"""Options that several commands share, so that each has one name, one help text, one meaning."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from stationmaster import clock
from stationmaster.errors import BadRequest

DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", help="The folder that holds everything.", show_default=False),
]
Org = Annotated[
    str | None,
    typer.Option("--org", help="Name or id of the organization; needed when there are several."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
Url = Annotated[
    str | None, typer.Option("--url", help="A server's address instead of a local data folder.")
]
Wide = Annotated[bool, typer.Option("--wide", help="Show all columns.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]
Key = Annotated[str | None, typer.Option("--key", help="An API key for --url.")]
Since = Annotated[
    str | None, typer.Option("--since", help="Nothing older: a date, or a span such as 7d or 12h.")
]
_SPAN = re.compile(r"([1-9][0-9]{0,4})([dh])")
_SPAN_MS = {"d": 86_400_000, "h": 3_600_000}


def since_ms(text: str | None) -> int:
    """UTC milliseconds of a date, or of a span before now. Raises BadRequest."""
    if text is None:
        return 0
    span = _SPAN.fullmatch(text)
    if span is not None:
        return max(0, clock.now_ms() - int(span[1]) * _SPAN_MS[span[2]])
    try:
        day = datetime.fromisoformat(text)
    except ValueError as fault:
        raise BadRequest(
            f"--since takes a date such as 2026-11-01, or a span such as 7d or 12h: {text}",
            code="bad_since",
        ) from fault
    return max(0, int((day if day.tzinfo else day.replace(tzinfo=UTC)).timestamp() * 1000))
