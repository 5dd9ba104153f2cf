"""Rows of a report as CSV, NDJSON or Parquet, for the API's `Accept` and for the command line.

CSV has one header line and the long form of a report: each cell is one number or one text. A text
cell that a spreadsheet would run as a formula is preceded by an apostrophe. In the long
form `tokens` has a row for each day, user and model, `users` one for each day and user. Reports
whose day has several lists (`tools`, `productivity`) have a row for each figure: its measure, what
it is of, its value. All others have the columns of their rows, objects entered with dots. NDJSON
has one row a line. Parquet is typed: `date` a date, arrays lists, objects structs.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import IO, Any, Literal, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct

from stationmaster import days
from stationmaster.analytics.formats.spreadsheets import csv_cell
from stationmaster.analytics.insights.rows import row_type
from stationmaster.lake.rollups.rows import COUNTERS, ProductivityRow, ToolsRow


@cache
def flat_columns(row: type[Struct]) -> tuple[tuple[str, ...], ...]:
    """The path of every column: objects are entered, arrays are not."""
    return tuple(_paths(msgspec.inspect.type_info(row), ()))


def _paths(info: msgspec.inspect.Type, above: tuple[str, ...]) -> list[tuple[str, ...]]:
    if not isinstance(info, msgspec.inspect.StructType):
        return [above]
    return [
        path for member in info.fields for path in _paths(member.type, (*above, member.encode_name))
    ]


@cache
def arrow_schema(row: type[Struct]) -> pa.Schema:
    """Typed columns; the member `date` is a date."""
    info = msgspec.inspect.type_info(row)
    assert isinstance(info, msgspec.inspect.StructType)
    return pa.schema(
        [
            pa.field(m.encode_name, pa.date32() if m.encode_name == "date" else _arrow(m.type))
            for m in info.fields
        ]
    )


def _arrow(info: msgspec.inspect.Type) -> pa.DataType:
    match info:
        case msgspec.inspect.StructType():
            return pa.struct([pa.field(m.encode_name, _arrow(m.type)) for m in info.fields])
        case msgspec.inspect.ListType():
            return pa.list_(_arrow(info.item_type))
        case msgspec.inspect.UnionType():
            # Every union of a row is of something and null.
            [kind] = (t for t in info.types if not isinstance(t, msgspec.inspect.NoneType))
            return _arrow(kind)
        case msgspec.inspect.IntType():
            return pa.int64()
        case msgspec.inspect.FloatType():
            return pa.float64()
        case _:
            return pa.string()


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


Row = dict[str, Any]
LIST_SEPARATOR = "; "
_OF_HOOK = ("matcher", "command")


class LongForm(NamedTuple):
    """The columns of a report, and the long rows that one of its rows becomes."""

    columns: tuple[str, ...]
    rows: Callable[[Row], Iterator[list[object]]]


@cache
def long_form(name: str) -> LongForm:
    """Of a `Question.name`."""
    if name == "tokens":
        columns = ("date", "user_id", "user_email", "model_id", "model_tier", *COUNTERS)
        return LongForm(columns, _tokens)
    row = row_type(name)
    if row in (ToolsRow, ProductivityRow):
        paths = flat_columns(row)[1:]
        own = _OF_HOOK if row is ToolsRow else ()
        columns = ("date", "measure", "name", *own, "value")
        return LongForm(columns, lambda values: _measures(values, paths, own))
    flat = flat_columns(row)
    return LongForm(tuple(map(".".join, flat)), lambda values: iter([_flat(values, flat)]))


def _tokens(row: Row) -> Iterator[list[object]]:
    """Each user's models; then what no user is shown for, so that a day adds up; at least one.

    The remainder is listed by model, unless the models of users and of the day are not the same
    ones (a privacy mode decides them apart).
    """
    left = {_model(of_model): _figures(of_model) for of_model in row["by_model"]}
    total = [sum(column) for column in zip(*left.values(), strict=True)]
    is_empty, is_by_model = True, True
    for user in row["by_user"]:
        for usage in user["by_model"]:
            model, figures = _model(usage), _figures(usage)
            total = _less(total, figures)
            left[model] = _less(left.get(model, [0] * len(figures)), figures)
            is_by_model &= min(left[model]) >= 0
            is_empty = False
            yield [row["date"], user["user_id"], user["user_email"], *model, *figures]
    rest: Iterable[tuple[Sequence[str | None], list[int]]] = left.items()
    for names, figures in rest if is_by_model else [((None, None), total)]:
        if any(figures):
            is_empty = False
            yield [row["date"], None, None, *names, *figures]
    if is_empty:
        yield [row["date"], None, None, None, None, *(row[name] for name in COUNTERS)]


def _less(some: list[int], others: list[int]) -> list[int]:
    return [a - b for a, b in zip(some, others, strict=True)]


def _model(usage: Row) -> tuple[str, str]:
    return usage["model_id"], usage["model_tier"]


def _figures(usage: Row) -> list[int]:
    return [usage[name] for name in COUNTERS]


def _measures(
    row: Row, paths: tuple[tuple[str, ...], ...], own: tuple[str, ...]
) -> Iterator[list[object]]:
    """A row for each figure of the day, and for each member of its lists.

    A member has its name first and its figure last; `own` are columns that only some have.
    """
    for path in paths:
        value = _at(row, path)
        if not isinstance(value, list):
            yield [row["date"], ".".join(path), None, *(None for _ in own), value]
            continue
        for member in value:
            name, *_, figure = member.values()
            yield [row["date"], path[0], name, *(member.get(key) for key in own), figure]


def _flat(row: Row, paths: tuple[tuple[str, ...], ...]) -> list[object]:
    values = [_at(row, path) for path in paths]
    return [LIST_SEPARATOR.join(value) if isinstance(value, list) else value for value in values]


def _at(row: Row, path: tuple[str, ...]) -> Any:
    value: Any = row
    for step in path:
        value = value[step]
    return value
