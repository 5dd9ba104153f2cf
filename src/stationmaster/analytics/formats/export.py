"""Rows of a report as CSV, NDJSON or Parquet, for the API's `Accept` and for the command line.

CSV has one header line and the long form of a report: each cell is one number or one text. A text
cell that a spreadsheet would run as a formula is preceded by an apostrophe. NDJSON has one row a
line. Parquet is typed: `date` a date, arrays lists, objects structs.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import IO, Any, Literal

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from stationmaster import days
from stationmaster.analytics.formats.columns import arrow_schema
from stationmaster.analytics.formats.long_rows import long_form
from stationmaster.analytics.formats.spreadsheets import csv_cell
from stationmaster.analytics.insights.rows import row_type

Format = Literal["json", "csv", "ndjson", "parquet"]

MEDIA: dict[Format, str] = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8; header=present",
    "ndjson": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}

CHUNK_BYTES = 256 * 1024
PARQUET_GROUP_ROWS = 20_000

_split = msgspec.json.Decoder(list[msgspec.Raw])
_plain = msgspec.json.Decoder(list[dict[str, Any]])


def negotiate(accept: str | None) -> Format:
    """The format that an `Accept` header prefers; JSON when it names none that is offered.

    The highest quality wins, then the more exactly named type, then JSON.
    """
    if accept is None or accept == "*/*" or accept == MEDIA["json"]:
        return "json"
    ranges = [_media_range(part) for part in accept.split(",")]
    best: tuple[float, int] = (0.0, 0)
    chosen: Format = "json"
    for name, media in MEDIA.items():
        quality, exactness = _acceptance(media.partition(";")[0], ranges)
        if quality > 0 and (quality, exactness) > best:
            best, chosen = (quality, exactness), name
    return chosen


def _media_range(part: str) -> tuple[str, float]:
    media, *parameters = (piece.strip().lower() for piece in part.split(";"))
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return media, min(max(float(value), 0.0), 1.0)
            except ValueError:
                return media, 0.0
    return media, 1.0


def _acceptance(media: str, ranges: list[tuple[str, float]]) -> tuple[float, int]:
    """(quality, exactness) of the most exact range that a media type falls in."""
    family = media.partition("/")[0] + "/*"
    for exactness, pattern in ((3, media), (2, family), (1, "*/*")):
        qualities = [quality for name, quality in ranges if name == pattern]
        if qualities:
            return max(qualities), exactness
    return 0.0, 0


def to_csv(name: str, documents: Iterable[bytes]) -> Iterator[bytes]:
    """CSV of stored documents, in chunks. `name` is a `Question.name`."""
    form = long_form(name)
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(form.columns)
    for document in documents:
        for row in _plain.decode(b"[" + document + b"]"):
            writer.writerows([*map(csv_cell, cells)] for cells in form.rows(row))
        if buffer.tell() >= CHUNK_BYTES:
            yield buffer.getvalue().encode()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue().encode()


def to_ndjson(documents: Iterable[bytes]) -> Iterator[bytes]:
    """One row a line, in the bytes of the stored documents, in chunks."""
    lines: list[bytes] = []
    size = 0
    for document in documents:
        for row in _split.decode(b"[" + document + b"]"):
            lines.append(bytes(row))
            size += len(lines[-1])
        if size >= CHUNK_BYTES:
            yield b"\n".join(lines) + b"\n"
            lines, size = [], 0
    if lines:
        yield b"\n".join(lines) + b"\n"


def to_parquet(name: str, documents: Iterable[bytes], into: IO[bytes]) -> None:
    """Write one Parquet file (zstd), holding one row group's rows in memory at a time."""
    schema = arrow_schema(row_type(name))
    with pq.ParquetWriter(into, schema, compression="zstd") as writer:
        for rows in _groups(documents):
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))


def _groups(documents: Iterable[bytes]) -> Iterator[list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    for document in documents:
        for value in _plain.decode(b"[" + document + b"]"):
            value["date"] = days.parse(value["date"])
            rows.append(value)
        if len(rows) >= PARQUET_GROUP_ROWS:
            yield rows
            rows = []
    if rows:
        yield rows
