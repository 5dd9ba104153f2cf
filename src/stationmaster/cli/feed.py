"""`ingest` and `collect`: files into a local data folder or to a server."""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Annotated

import typer

from stationmaster.cli import folder, output
from stationmaster.cli.configure import configure
from stationmaster.cli.options import DataDir, Json, Key, Org, Url
from stationmaster.client import sources
from stationmaster.client.progress import Progress
from stationmaster.client.reading import Sink, Summary, read_all
from stationmaster.errors import BadRequest, Unavailable
from stationmaster.settings import Settings

_WATCH_INTERVAL_S = 5.0


def register(app: typer.Typer) -> None:
    app.command()(ingest)
    app.command()(collect)


def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.")],
    agent: Annotated[str, typer.Option(help="The agent whose files these are, or auto.")] = "auto",
    data_dir: DataDir = None,
    org: Org = None,
    url: Url = None,
    key: Key = None,
    json: Json = False,
) -> None:
    """Take in captured OTLP bodies, session transcripts and event NDJSON."""
    from stationmaster.cli import files

    settings = configure(data_dir, url=url, key=key)
    product = None if agent == "auto" else agent
    found = files.sort_out(paths, product)
    summary = Summary()
    for part, _ in read_all(found.transcripts, _sink_opener(settings, org), None, _processes()):
        summary.add(part)
    posted = files.feed_requests(found.requests, settings, org)
    for path in found.unknown:
        output.say(f"skipped, not a recording of a known agent: {path}")
    _report(summary, posted, len(found.unknown), json)
    if not (summary.files or posted):
        raise BadRequest("nothing was taken in: no file was recognised", code="nothing_recognised")


def collect(
    data_dir: DataDir = None,
    org: Org = None,
    url: Url = None,
    key: Key = None,
    watch: Annotated[bool, typer.Option("--watch", help="Go on until stopped.")] = False,
    home: Annotated[Path | None, typer.Option(help="The home folder to look in.")] = None,
    json: Json = False,
) -> None:
    """Read this machine's own agent sessions and send their counts and names; resumable."""
    settings = configure(data_dir, url=url, key=key)
    opener = _sink_opener(settings, org)
    progress = Progress(_progress_file(settings, org))
    while True:
        try:
            summary = _collect_once(home or Path.home(), opener, progress)
        except Unavailable as fault:
            if not watch:
                raise
            output.say(fault.detail)
        else:
            if summary.files or not watch:
                _report(summary, 0, 0, json)
        if not watch:
            return
        _wait()


def _collect_once(home: Path, opener: Callable[[], Sink], progress: Progress) -> Summary:
    summary = Summary()
    found = sources.of_this_machine(home, progress.is_unread)
    if not found:
        return summary
    for part, positions in read_all(found, opener, progress.find, _processes()):
        progress.save(positions)
        summary.add(part)
    return summary


def _wait() -> None:
    import time

    time.sleep(_WATCH_INTERVAL_S)


def _processes() -> int:
    return min(os.cpu_count() or 1, 8)


def _progress_file(settings: Settings, org: str | None) -> Path:
    """One file for each destination: a folder or server that was made anew is another one."""
    if settings.url:
        destination = f"{settings.url}\0{settings.key}"
    else:
        with folder.tenant(settings, org) as (_, org_id):
            destination = org_id
    name = blake2b(destination.encode(), digest_size=8).hexdigest()
    return settings.client_dir / f"collected-{name}.json"


def _sink_opener(settings: Settings, org: str | None) -> Callable[[], Sink]:
    if settings.url:
        url, key = settings.url, settings.key
        if not key:
            raise BadRequest("--url needs --key or STATIONMASTER_KEY", code="no_key")

        def to_server() -> Sink:
            from stationmaster.client.sending import HttpSink

            return HttpSink(url, key)

        return to_server

    # Loaded here and not in each reading process.
    from stationmaster.cli.local import LocalSink

    return lambda: LocalSink(settings, org)


def _report(summary: Summary, requests: int, unknown: int, json: bool) -> None:
    result = {
        "files": summary.files,
        "bytes": summary.size_bytes,
        "requests": requests,
        "skipped_files": unknown,
        "events": dict(sorted(summary.events.items())),
        "tokens": summary.tokens,
        "drops": dict(sorted(summary.drops.items())),
    }
    if json:
        output.as_json(result)
        return
    events = sum(summary.events.values())
    output.say(
        f"{summary.files} session files ({summary.size_bytes / 1e6:.1f} MB), "
        f"{events} events; {requests} recorded requests; {unknown} files skipped"
    )
