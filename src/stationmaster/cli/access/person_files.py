"""The export of a person as files: a folder or an archive with a file for each kind of record."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import IO, Any

import httpx
import msgspec

from stationmaster.cli.api import refusal
from stationmaster.client import server as servers, unreachable
from stationmaster.errors import BadRequest, OperatorError
from stationmaster.settings import Settings

_PATH = "/api/platform/v1/person-export"
_TIMEOUT_S = 300.0

Open = Callable[[str], IO[bytes]]


class _Line(msgspec.Struct):
    section: str
    data: msgspec.Raw


def write(settings: Settings, org: str | None, person: str, out: Path) -> dict[str, int]:
    """Write every record; how many there are, by section. Files are for their owner alone.

    Raises BadRequest where `out` is there already, and what the export raises.
    """
    if out.exists():
        raise BadRequest(f"{out} exists already; name a new one.", code="output_exists")
    counts: dict[str, int] = {}
    with ExitStack() as stack:
        lines = stack.enter_context(_lines(settings, org, person))
        # Only now, so that a refusal leaves nothing behind.
        first = next(lines, None)
        opener = stack.enter_context(_zipped(out) if out.suffix == ".zip" else _in_folder(out))
        for section, group in groupby(_all(first, lines), key=attrgetter("section")):
            with opener(f"{section}.ndjson") as file:
                for line in group:
                    file.write(bytes(line.data) + b"\n")
                    counts[section] = counts.get(section, 0) + 1
    return counts


def _all(first: _Line | None, lines: Iterator[_Line]) -> Iterator[_Line]:
    if first is not None:
        yield first
        yield from lines


@contextmanager
def _zipped(out: Path) -> Iterator[Open]:
    with (
        os.fdopen(_create(out), "wb") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        yield lambda name: archive.open(name, "w", force_zip64=True)


@contextmanager
def _in_folder(out: Path) -> Iterator[Open]:
    out.mkdir(mode=0o700, parents=True)
    yield lambda name: os.fdopen(_create(out / name), "wb")


def _create(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)


@contextmanager
def _lines(settings: Settings, org: str | None, person: str) -> Iterator[Iterator[_Line]]:
    if settings.url is None:
        # It needs the server's libraries, which the export of a server does not.
        from stationmaster.cli.access import person_records

        with person_records.of_folder(settings, org, person) as records:
            yield (_Line(name, msgspec.Raw(msgspec.json.encode(data))) for name, data in records)
    else:
        with _of_server(settings, person) as lines:
            yield lines


@contextmanager
def _of_server(settings: Settings, person: str) -> Iterator[Iterator[_Line]]:
    assert settings.url is not None
    server = servers.chosen(settings, settings.url)
    parameters: dict[str, Any] = {
        "params": {"person": person},
        "headers": {"Authorization": f"Bearer {server.key}"},
    }
    try:
        with httpx.stream(
            "GET", f"{server.url}{_PATH}", timeout=_TIMEOUT_S, **parameters
        ) as answer:
            if answer.is_error:
                answer.read()
                raise refusal(answer)
            decode = msgspec.json.Decoder(_Line).decode
            yield (decode(line) for line in answer.iter_lines())
    except httpx.HTTPError as fault:
        raise OperatorError(
            f"{settings.url} cannot be reached: {unreachable.reason(fault)}"
        ) from fault
