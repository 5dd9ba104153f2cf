"""The sessions of a day as the rows in which they are stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from stationmaster import ids
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

    columns: Mapping[str, list[Any]]
    """The names, and the figures by name."""
    spans: Sequence[slice]
    """By number of the session."""

    def sums(self, figure: str) -> list[int]:
        """A figure of every session."""
        column = self.columns[figure]
        return [sum(column[span]) for span in self.spans]

    def listed(self) -> list[str]:
        """The stored list of every session: the first PARTS_MAX parts, and the rest as one."""
        columns = list(self.columns.values())
        found = []
        for span in self.spans:
            parts: list[tuple[Any, ...]] = list(zip(*(each[span] for each in columns), strict=True))
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
        "machine": [
            None if installation is None else ids.machine_of(org, installation)
            for installation in sums["installation"]
        ],
        "sources": [
            ",".join(name for n, name in enumerate(SOURCES) if bits >> n & 1)
            for bits in sums["sources"]
        ],
    }
    # As the sessions are called in the rows of the query `tokens`.
    keys = pc.binary_join_element_wise(
        *(table[name].cast(pa.string()) for name in ("product", "session_id")), "/"
    )
    models = _parts(_by_model(counts.tokens), keys, ModelPart._fields, "billable_tokens")
    tools = _parts(counts.session_tools, table["session"], ToolPart._fields, "calls")
    columns |= {
        "model_calls": models.sums("calls"),
        **{name: models.sums(name) for name in _MODEL_SUMS},
        "amount": [str(amount) for amount in models.sums("amount")],
        "models": models.listed(),
        "tool_calls": tools.sums("calls"),
        "failed_tool_calls": tools.sums("failed"),
        "refused_tool_calls": tools.sums("refused"),
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
    spans = [slice(0)] * len(keys)
    if not rows.num_rows:
        return _Parts({name: [] for name in columns}, spans)
    number = pc.index_in(rows["session"], value_set=keys.combine_chunks())
    rows = rows.select(columns).append_column("number", number).filter(pc.is_valid(number))
    rows = rows.sort_by(
        [("number", "ascending"), (figure, "descending"), (columns[0], "ascending")]
    )
    runs = pc.run_end_encode(rows["number"].combine_chunks(), pa.int64())
    start = 0
    for session, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
        spans[session] = slice(start, end)
        start = end
    lists = {name: rows[name].to_pylist() for name in columns}
    if "amount" in lists:
        lists["amount"] = [int(amount) for amount in lists["amount"]]
    return _Parts(lists, spans)
