"""The sessions of a day as the rows in which they are stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from stationmaster import ids
from stationmaster.aggregate import packing
from stationmaster.aggregate.engines.metrics import Counts
from stationmaster.aggregate.inputs.matching import SOURCES
from stationmaster.aggregate.slices import observed_emails
from stationmaster.ids import OrgId
from stationmaster.lake.rollups.sessions import ModelPart, SessionDay, ToolPart

PARTS_MAX = 50
"""The models, and the tools, of a session that are stored by name; the rest is OTHER."""
OTHER = "other"
_KEPT = (
    *("client", "user_id", "team", "branch", "started_at", "ended_at", "user_messages"),
    *("model_errors", "files_changed", "lines_added", "lines_removed", "git_commits"),
    "git_prs_created",
)
"""The columns of session_sums.sql that are stored as they are."""
_MODEL_SUMS = (
    *("unpriced_calls", "billable_tokens", "input_tokens", "output_tokens"),
    *("cache_read_tokens", "cache_write_tokens"),
)
"""The figures of models that are stored as sums under the same name."""
_encode = msgspec.json.encode


class _Parts(NamedTuple):
    """The models, or the tools, of every session, in the order of the sessions."""

    listed: Sequence[str]
    """JSON of the parts of largest figures, PARTS_MAX at most, and of the rest as one."""
    sums: Mapping[str, Sequence[Any]]
    """By figure."""


def of(counts: Counts, org: OrgId, emails: Mapping[str, str]) -> list[SessionDay]:
    """A row for every session of a day. `emails` gives addresses by user id."""
    table = counts.session_sums
    if not table.num_rows:
        return []
    sums: dict[str, list[Any]] = {name: table[name].to_pylist() for name in table.column_names}
    observed = observed_emails(counts)
    columns: dict[str, Sequence[Any]] = {
        **{name: sums[name] for name in _KEPT},
        "session_id": [
            ids.session_of(org, *key)
            for key in zip(sums["product"], sums["session_id"], strict=True)
        ],
        "agent_session_id": sums["session_id"],
        "agent": sums["product"],
        "user_email": [emails.get(user) or observed.get(user) for user in sums["user_id"]],
        "repository": sums["repo"],
        "machine": _mapped(
            sums["installation"],
            lambda machine: None if machine is None else ids.machine_of(org, machine),
        ),
        "sources": _mapped(
            sums["sources"],
            lambda bits: ",".join(name for n, name in enumerate(SOURCES) if bits >> n & 1),
        ),
    }
    # As the sessions are called in the rows of the query `tokens`.
    keys = pc.binary_join_element_wise(
        *(table[name].cast(pa.string()) for name in ("product", "session_id")), "/"
    )
    models = _parts(_by_model(counts.tokens), keys, ModelPart._fields)
    tools = _parts(counts.session_tools, table["session"], ToolPart._fields)
    columns |= {
        "model_calls": models.sums["calls"],
        **{name: models.sums[name] for name in _MODEL_SUMS},
        "amount": [str(amount) for amount in models.sums["amount"]],
        "models": models.listed,
        "tool_calls": tools.sums["calls"],
        "failed_tool_calls": tools.sums["failed"],
        "refused_tool_calls": tools.sums["refused"],
        "tools": tools.listed,
    }
    rows = zip(*(columns[name] for name in SessionDay._fields), strict=True)
    return [SessionDay._make(row) for row in rows]


def _by_model(calls: pa.Table) -> pa.Table:
    """The rows of the query `tokens` by session and model alone, in the order of _parts."""
    keys, figures = ["session_id", "model"], ModelPart._fields[1:]
    aggregations = [(name, "sum") for name in figures]
    sums = calls.group_by(keys, use_threads=False).aggregate(aggregations)
    sums = sums.select([*keys, *(f"{name}_sum" for name in figures)])
    sums = sums.rename_columns(["session", "model", *figures])
    sums = sums.append_column("largest_first", pc.negate(sums["billable_tokens"]))
    return packing.ordered(sums, ["session", "largest_first", "model"])


def _parts(rows: pa.Table, keys: pa.ChunkedArray, columns: Sequence[str]) -> _Parts:
    """The parts of the sessions of some keys, in their order. `rows` have the key as `session`, and
    the columns of a part, whose first one is the name; those of a session are together."""
    _, *figures = columns
    number = pc.index_in(rows["session"], value_set=keys.combine_chunks())
    parts = rows.select(columns).filter(pc.is_valid(number)).combine_chunks()
    runs = pc.run_end_encode(number.drop_null().combine_chunks(), pa.int64())
    spans = list(pairwise([0, *runs.run_ends.to_pylist()]))
    numbers = pa.array(range(len(keys)), pa.int32())
    places = pc.index_in(numbers, value_set=runs.values).to_pylist()

    def of_all(values: Sequence[Any], nothing: Any) -> list[Any]:
        return [nothing if place is None else values[place] for place in places]

    sums = {}
    for name in figures:
        values = _integers(parts[name])
        sums[name] = of_all([sum(values[start:end]) for start, end in spans], 0)
    return _Parts(of_all(_listed(parts, spans), "[]"), sums)


def _listed(parts: pa.Table, spans: Sequence[tuple[int, int]]) -> list[str]:
    """The JSON of the parts of every span."""
    places = packing.numbers(parts, parts.column_names).dictionary_encode()
    # Sessions have many parts in common, which are encoded once.
    unlike = parts.take(pc.index_in(places.dictionary, value_set=places))
    texts = pa.array([_encode(part).decode() for part in _rows(unlike)], pa.string())
    ends = pa.array([0, *(end for _, end in spans)], pa.int32())
    lists = pa.ListArray.from_arrays(ends, texts.take(places.indices))
    listed = [f"[{text}]" for text in pc.binary_join(lists, ",").to_pylist()]
    for number, (start, end) in enumerate(spans):
        if end - start > PARTS_MAX:
            listed[number] = _shortened(_rows(parts.slice(start, end - start)))
    return listed


def _shortened(parts: Sequence[tuple[Any, ...]]) -> str:
    _, *figures = zip(*parts[PARTS_MAX:], strict=True)
    return _encode([*parts[:PARTS_MAX], (OTHER, *map(sum, figures))]).decode()


def _rows(parts: pa.Table) -> list[tuple[Any, ...]]:
    name, *figures = parts.columns
    return list(zip(name.to_pylist(), *map(_integers, figures), strict=True))


def _integers(column: pa.ChunkedArray) -> list[int]:
    values = column.to_pylist()
    return [int(value) for value in values] if pa.types.is_decimal(column.type) else values


def _mapped(values: Sequence[Any], make: Callable[[Any], str | None]) -> list[str | None]:
    """What is made of every value, of equal ones once."""
    made = {value: make(value) for value in set(values)}
    return [made[value] for value in values]
