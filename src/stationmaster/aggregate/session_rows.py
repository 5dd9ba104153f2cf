"""The sessions of a day as the rows in which they are stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, get_args

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from stationmaster import ids
from stationmaster.aggregate import packing
from stationmaster.aggregate.metrics import Counts
from stationmaster.aggregate.slices import observed_emails
from stationmaster.events.model import Source
from stationmaster.ids import OrgId
from stationmaster.rollups.sessions import ModelPart, SessionDay, ToolPart

SOURCES: tuple[str, ...] = get_args(Source)
"""Source n has the bit 2^n in `sources` of session_sums.sql."""
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
    """The models, or the tools, of every session: a session has a span of each column, which begins
    with the part of the largest figure."""

    columns: Sequence[list[Any]]
    """The names, and each of the figures."""
    spans: Sequence[slice]
    """By number of the session."""
    sums: Mapping[str, Sequence[Any]]
    """By figure, of every session."""

    def listed(self) -> list[str]:
        """The stored list of every session: the first PARTS_MAX parts, and the rest as one."""
        found = []
        for span in self.spans:
            parts: list[tuple[Any, ...]] = list(
                zip(*[column[span] for column in self.columns], strict=True)
            )
            if rest := parts[PARTS_MAX:]:
                _, *figures = zip(*rest, strict=True)
                parts[PARTS_MAX:] = [(OTHER, *map(sum, figures))]
            found.append(_encode(parts).decode())
        return found


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
        "machine": _each(
            sums["installation"],
            lambda machine: None if machine is None else ids.machine_of(org, machine),
        ),
        "sources": _each(
            sums["sources"],
            lambda bits: ",".join(name for n, name in enumerate(SOURCES) if bits >> n & 1),
        ),
    }
    # As the sessions are called in the rows of the query `tokens`.
    keys = pc.binary_join_element_wise(
        *(table[name].cast(pa.string()) for name in ("product", "session_id")), "/"
    )
    models = _parts(_by_model(counts.tokens), keys, ModelPart._fields, "billable_tokens")
    tools = _parts(counts.session_tools, table["session"], ToolPart._fields, "calls")
    columns |= {
        "model_calls": models.sums["calls"],
        **{name: models.sums[name] for name in _MODEL_SUMS},
        "amount": [str(amount) for amount in models.sums["amount"]],
        "models": models.listed(),
        "tool_calls": tools.sums["calls"],
        "failed_tool_calls": tools.sums["failed"],
        "refused_tool_calls": tools.sums["refused"],
        "tools": tools.listed(),
    }
    rows = zip(*(columns[name] for name in SessionDay._fields), strict=True)
    return [SessionDay._make(row) for row in rows]


def _by_model(calls: pa.Table) -> pa.Table:
    """The rows of the query `tokens` by session and model alone."""
    if not calls.num_rows:
        return calls
    keys, figures = ["session_id", "model"], ModelPart._fields[1:]
    sums = calls.group_by(keys, use_threads=False).aggregate([(name, "sum") for name in figures])
    sums = sums.select([*keys, *(f"{name}_sum" for name in figures)])
    return sums.rename_columns(["session", "model", *figures])


def _parts(rows: pa.Table, keys: pa.ChunkedArray, columns: Sequence[str], figure: str) -> _Parts:
    """The parts of the sessions of some keys, in their order. `rows` have the key as `session`, and
    the columns of a part, whose first one is the name."""
    name, *figures = columns
    spans = [slice(0)] * len(keys)
    sums: dict[str, list[Any]] = {each: [0] * len(keys) for each in figures}
    if not rows.num_rows:
        return _Parts([[] for _ in columns], spans, sums)
    number = pc.index_in(rows["session"], value_set=keys.combine_chunks())
    rows = rows.select(columns).append_column("number", number).filter(pc.is_valid(number))
    rows = rows.append_column("largest_first", pc.negate(rows[figure]))
    rows = packing.ordered(rows, ["number", "largest_first", name])
    found = rows.group_by("number", use_threads=False).aggregate(
        [("number", "count"), *((each, "sum") for each in figures)]
    )
    sessions = found["number"].to_pylist()
    ends = accumulate(found["number_count"].to_pylist(), initial=0)
    for session, (start, end) in zip(sessions, pairwise(ends), strict=True):
        spans[session] = slice(start, end)
    for each in figures:
        for session, value in zip(sessions, _integers(found[f"{each}_sum"]), strict=True):
            sums[each][session] = value
    lists = [rows[name].to_pylist(), *(_integers(rows[each]) for each in figures)]
    return _Parts(lists, spans, sums)


def _integers(column: pa.ChunkedArray) -> list[int]:
    values = column.to_pylist()
    return [int(value) for value in values] if pa.types.is_decimal(column.type) else values


def _each(values: Sequence[Any], make: Callable[[Any], str | None]) -> list[str | None]:
    """What is made of every value, of equal ones once."""
    made = {value: make(value) for value in set(values)}
    return [made[value] for value in values]
