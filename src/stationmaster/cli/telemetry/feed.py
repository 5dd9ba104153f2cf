"""`ingest`: files into a local data folder or to a server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stationmaster.cli.options import Connection, Json
from stationmaster.cli.printing import collected, output
from stationmaster.cli.telemetry import destination
from stationmaster.client.collecting.looking import processes
from stationmaster.client.collecting.reading import CollectionSummary, read_all
from stationmaster.errors import BadRequest


def ingest(
    connection: Connection,
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.")],
    agent: Annotated[str, typer.Option(help="The agent that wrote the files, or auto.")] = "auto",
    json: Json = False,
) -> None:
    """Import captured OTLP bodies, session transcripts and event NDJSON."""
    from stationmaster.cli.telemetry import files

    settings = connection.settings()
    product = None if agent == "auto" else agent
    by_kind = files.sort_out(paths, product)
    summary = CollectionSummary()
    to = destination.configured(settings, connection.org)
    for part, _ in read_all(by_kind.transcripts, to.open, None, processes()):
        summary.add(part)
    posted = files.feed_requests(by_kind.requests, to)
    for path in by_kind.unknown:
        output.remark(f"skipped, not a recording of a known agent: {path}")
    if summary.files or posted or json:
        collected.print_summary(summary, to.label, None, json, posted, len(by_kind.unknown))
    if not (summary.files or posted):
        raise BadRequest("nothing was stored: no file was recognised", code="nothing_recognised")
