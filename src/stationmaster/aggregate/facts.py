"""A day's counts in finer parts than the five reports need: what the other reports are made of.

The tables share the slices of the day and name no person. Each is a stream of its own in one stored
body, and a report reads the streams and the columns that it needs. Names that senders choose are
bounded: of each column the most used ones are kept, the rest is OTHER.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from stationmaster.aggregate import packing
from stationmaster.aggregate.engines.metrics import Counts
from stationmaster.aggregate.slices import AMOUNT

OTHER = "other"
"""The branches, tools, servers, models, … of a day beyond the NAMES_MAX most used ones."""
NAMES_MAX: Mapping[str, int] = {
    "branch": 100,
    "tool": 300,
    "mcp_server": 100,
    "model": 100,
    "language": 200,
    "hook": 200,
}
_TEXT, _COUNT, _FLAG = pa.string(), pa.int64(), pa.bool_()
_NUMBER, _SMALL = pa.int32(), pa.int8()


def _schema(keys: Sequence[tuple[str, pa.DataType]], *figures: str) -> pa.Schema:
    return pa.schema([("slice", _NUMBER), *keys, *((figure, _COUNT) for figure in figures)])


SCHEMAS: Mapping[str, pa.Schema] = {
    "calls": _schema(
        [
            *(("session", _NUMBER), ("is_begun", _FLAG), ("model", _TEXT), ("model_tier", _TEXT)),
            *(("branch", _TEXT), ("hour", _SMALL)),
        ],
        *("calls", "billable_tokens", "input_tokens", "output_tokens"),
        *("cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens", "unpriced_calls"),
    ).append(pa.field("amount", AMOUNT)),
    "git": _schema([("branch", _TEXT), ("hour", _SMALL)], "git_commits", "git_prs_created"),
    "edits": _schema(
        [("language", _TEXT), ("hour", _SMALL)],
        *("accepted", "rejected", "undecided", "lines_added", "lines_removed"),
    ),
    "tools": _schema(
        [("tool", _TEXT), ("mcp_server", _TEXT), ("bucket", _SMALL)],
        *("calls", "failed", "refused", "longest_ms"),
    ),
    "errors": _schema([("model", _TEXT), ("error_class", _TEXT), ("hour", _SMALL)], "errors"),
    "hooks": _schema([("hook", _TEXT)], "runs", "succeeded", "failed"),
}
"""The columns of every table. `slice` is a number of `slices.SCHEMAS`; `session` a number within
this table, null without a session; `is_begun`: the session began on this day; `hour` is the UTC
hour; `amount` is 10⁻¹² dollars, of the calls that have a price. `bucket` is that of tools.sql.
`hook` is its event, matcher and command, as far as they are reported. Days that were counted by an
older version may have no `hooks`."""


def of(counts: Counts, resumed: Collection[str]) -> bytes:
    """The stored form of a day's facts; the `resumed` sessions began on an earlier day."""
    sources = {"calls": _numbered(counts.tokens, resumed)}
    sources["hooks"] = _hooks(counts.names)
    sources |= {name: getattr(counts, name) for name in SCHEMAS if name not in sources}
    return packing.pack(
        {
            name: packing.cast(_bounded(table, SCHEMAS[name]), SCHEMAS[name])
            for name, table in sources.items()
        }
    )


def without_branches(body: bytes, is_theirs: Sequence[bool]) -> bytes:
    """A stored body in which the slices of some people name no branch, by slice number."""
    tables = {name: packing.read(stream) for name, stream in packing.unpack(body).items()}
    for name, table in tables.items():
        if "branch" in table.column_names and table.num_rows:
            place = table.schema.get_field_index("branch")
            rows = zip(table["slice"].to_pylist(), table["branch"].to_pylist(), strict=True)
            # From a list, because Arrow's own functions leave the bytes of what they make null.
            kept = pa.array(
                [None if is_theirs[number] else branch for number, branch in rows], _TEXT
            )
            tables[name] = table.set_column(place, table.schema.field(place), kept)
    return packing.pack(tables)


def _numbered(calls: pa.Table, resumed: Collection[str]) -> pa.Table:
    """The rows of the query `tokens` with numbers for sessions."""
    if not calls.num_rows:
        return calls
    sessions = calls["session_id"].cast(_TEXT).combine_chunks()
    ordered = sessions.drop_null().unique().sort()
    is_resumed = pc.is_in(sessions, value_set=pa.array(sorted(resumed), _TEXT))
    return calls.append_column("session", pc.index_in(sessions, value_set=ordered)).append_column(
        "is_begun", pc.and_(pc.is_valid(sessions), pc.invert(is_resumed))
    )


def _hooks(names: pa.Table) -> pa.Table:
    """The hooks among the rows of the query `names`, in the columns of SCHEMAS."""
    if not names.num_rows:
        return names
    rows = names.filter(pc.equal(names["kind"], "hook"))
    texts = (rows[column].cast(_TEXT) for column in ("name", "matcher", "command"))
    hook = pc.replace_substring_regex(
        pc.utf8_trim_whitespace(pc.binary_join_element_wise(*texts, " ")), "  ", " "
    )
    rows = rows.append_column("hook", hook)
    return _folded(rows.rename_columns({"calls": "runs"}), SCHEMAS["hooks"])


def _bounded(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """A table in which each column of names has at most NAMES_MAX of them, and OTHER."""
    figure = next((field.name for field in schema if field.type == _COUNT), "")
    has_changed = False
    for column, names_max in NAMES_MAX.items():
        if not table.num_rows or column not in schema.names:
            continue
        if len(table[column].unique().drop_null()) <= names_max:
            continue
        names = table[column].cast(_TEXT)
        place = table.schema.get_field_index(column)
        table = table.set_column(place, column, names)
        uses = table.group_by([column], use_threads=False).aggregate([(figure, "sum")])
        ranked = uses.sort_by([(f"{figure}_sum", "descending"), (column, "ascending")])
        kept = ranked[column].cast(_TEXT).drop_null()[:names_max]
        is_kept = pc.or_(pc.is_null(names), pc.is_in(names, value_set=kept.combine_chunks()))
        table = table.set_column(place, column, pc.if_else(is_kept, names, OTHER))
        has_changed = True
    return _folded(table, schema) if has_changed else table


def _folded(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """A table with one row for each combination of keys."""
    keys = packing.keys(schema)
    figures = [name for name in schema.names if name not in keys]
    sums = [(name, "max" if name == "longest_ms" else "sum") for name in figures]
    rows = table.group_by(keys, use_threads=False).aggregate(sums)
    rows = rows.select([*keys, *(f"{name}_{how}" for name, how in sums)])
    return rows.rename_columns([*keys, *figures])
