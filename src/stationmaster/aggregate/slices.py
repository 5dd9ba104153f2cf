"""A day's counts by slice: everything of one user, agent, repository and team. The rows of reports
are made of them in `report_rows.py`.

Every report is a fold over slices, the plain one over all of them. They are kept as tables, in one
body a day, so that a question about some of them is answered from the same figures by the same
code. `engines/metrics.py` names the query of each table, `day.py` fills them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from stationmaster.aggregate import packing
from stationmaster.aggregate.engines.metrics import Counts

UNKNOWN = "unknown"
"""The repository and the team of events that report none."""
_TEXT, _COUNT, _FLAG, _NUMBER = pa.string(), pa.int64(), pa.bool_(), pa.int32()
AMOUNT = pa.decimal128(38, 0)
"""10⁻¹² dollars; the sum of a day may exceed 64 bits."""
LOWER_BOUNDS = ("output_lower_bounds", "sums_above_tier", "unknown_retentions")
"""Columns of `costs`: how many figures the dollars are too low by, for which reason."""


def _counted(keys: tuple[str, ...], *figures: str) -> pa.Schema:
    texts = [(key, _TEXT) for key in keys]
    return pa.schema([("slice", _NUMBER), *texts, *((figure, _COUNT) for figure in figures)])


SCHEMAS: Mapping[str, pa.Schema] = {
    "slices": pa.schema(
        [
            *(("user_id", _TEXT), ("email", _TEXT), ("is_counted", _FLAG)),
            *(("agent", _TEXT), ("repository", _TEXT), ("team", _TEXT)),
        ]
    ),
    "sessions": pa.schema(
        [("slice", _NUMBER), ("session", _NUMBER), ("client", _TEXT), ("is_begun", _FLAG)]
    ),
    "tokens": _counted(
        ("model", "model_tier"),
        *("assistant_messages", "billable_tokens", "input_tokens", "output_tokens"),
        *("cache_read_tokens", "cache_write_tokens"),
    ),
    "costs": pa.schema(
        [
            *(("slice", _NUMBER), ("model", _TEXT), ("calls", _COUNT)),
            *(("cache_write_1h_tokens", _COUNT), ("amount", AMOUNT)),
            *((flag, _COUNT) for flag in LOWER_BOUNDS),
            *(("agent_calls", _COUNT), ("agent_amount", AMOUNT), ("same_amount", AMOUNT)),
        ]
    ),
    "without_price": _counted(
        ("model", "missing"),
        *("calls", "billable_tokens", "input_tokens", "output_tokens"),
        *("cache_read_tokens", "cache_write_tokens"),
    ),
    "tools": _counted(("tool", "mcp_server"), "calls"),
    "levels": _counted(("autonomy",), "calls", "mcp_calls"),
    "names": _counted(("kind", "name", "matcher", "command"), "calls"),
    "people": _counted(
        (),
        *("user_messages", "assistant_messages", "skill_calls", "slash_commands", "hooks"),
        "git_commits",
    ),
    "pull_requests": _counted((), "git_prs_created"),
    "file_changes": _counted(("extension", "language"), "created", "edited"),
}
"""The columns of every table. Row n of `slices` is slice n, which the others mean by `slice`;
`is_counted`: it makes its user an active one. A session has a row in every slice in which
it was active, by a number within the day, and `is_begun` in the one where it began, if that was
on this day."""


class Slices:
    """The tables of SCHEMAS, of all slices of a day or of those chosen. Decoded when asked for."""

    def __init__(
        self, tables: Mapping[str, pa.Table | bytes], chosen: pa.BooleanArray | None = None
    ) -> None:
        self._tables = dict(tables)
        self.chosen = chosen
        """By slice number; None for all."""

    def whole(self, name: str) -> pa.Table:
        """A table of all slices."""
        table = self._tables[name]
        if isinstance(table, bytes):
            table = self._tables[name] = packing.read(table)
        return table

    def has(self, name: str) -> bool:
        """Is the table there? Older versions stored fewer, and a reader may need only some."""
        return name in self._tables

    def __getitem__(self, name: str) -> pa.Table:
        """A table of the chosen slices."""
        table = self.whole(name)
        if self.chosen is None:
            return table
        return table.filter(self.chosen if name == "slices" else self.chosen.take(table["slice"]))

    def column(self, name: str) -> list[Any]:
        """One column of `slices` by slice number, of all slices."""
        return self.whole("slices")[name].to_pylist()  # type: ignore[no-any-return]  # pyarrow has no types

    def summed(self, name: str, *keys: str) -> Iterator[tuple[Any, ...]]:
        """Keys and figures of a table, the figures added up."""
        figures = [field.name for field in SCHEMAS[name] if field.type == _COUNT]
        sums = self[name].group_by(keys, use_threads=False).aggregate([(f, "sum") for f in figures])
        return records(sums.select([*keys, *(f"{figure}_sum" for figure in figures)]))

    def users(self) -> set[str]:
        """Everybody with any activity that a row of a user shows."""
        owners = self.column("user_id")
        return {
            owners[number]
            for name in ("tokens", "levels", "people", "pull_requests", "file_changes")
            for number in self[name]["slice"].unique().to_pylist()
        }

    def only(self, chosen: pa.BooleanArray) -> Slices:
        """Some of the slices."""
        return Slices(self._tables, chosen)

    def with_column(self, name: str, values: Sequence[str | None]) -> Slices:
        """With other values of a column of `slices`, by slice number."""
        table = self.whole("slices")
        place = table.schema.get_field_index(name)
        return self.with_table("slices", table.set_column(place, name, pa.array(values, _TEXT)))

    def with_table(self, name: str, rows: pa.Table) -> Slices:
        """With another table of all slices."""
        return Slices({**self._tables, name: rows}, self.chosen)

    def pack(self) -> bytes:
        """The stored form; the same counts give the same bytes."""
        return packing.pack({name: self.whole(name) for name in SCHEMAS})


def unpack(body: bytes) -> Slices:
    """The slices of a stored day."""
    return Slices(packing.unpack(body))


def of(counts: Counts, members: Mapping[str, str], uncounted: Collection[str]) -> Slices:
    """The slices of a day, without their sessions.

    `members` gives addresses by user id; users in `uncounted` never count as active users.
    """
    tables = {
        name: packing.cast(table, SCHEMAS[name])
        for name, table in {
            **{name: getattr(counts, name) for name in ("levels", "names", "people")},
            "file_changes": counts.file_changes,
            "tokens": _by_model(counts.tokens, "tokens"),
            "costs": _by_model(counts.tokens, "costs"),
            "without_price": counts.without_price,
            "tools": _executed(counts.tools),
            "pull_requests": _pull_requests(counts.git),
        }.items()
    }
    wrote = tables["people"].filter(pc.greater(tables["people"]["user_messages"], 0))
    active = {
        number
        for table in (tables["tokens"], tables["levels"], wrote)
        for number in table["slice"].to_pylist()
    }
    observed = observed_emails(counts)
    rows = []
    for number, user, *place in sorted(records(counts.slices)):
        email = members.get(user) or observed.get(user)
        rows.append((user, email, number in active and user not in uncounted, *place))
    return Slices({**tables, "slices": _table(rows, SCHEMAS["slices"])})


def observed_emails(counts: Counts) -> dict[str, str]:
    """The address that a day's events carry of each user."""
    by_user: dict[str, str] = {}
    for _, user, address in records(counts.emails):
        by_user[user] = min(by_user.get(user, address), address)
    return {user: address.strip().lower() for user, address in by_user.items()}


def session_ids(counts: Counts) -> list[str]:
    """The active sessions of a day."""
    rows = counts.active_sessions
    return rows["session_id"].unique().to_pylist() if rows.num_rows else []


def sessions_of(counts: Counts, resumed: Collection[str]) -> pa.Table:
    """The table `sessions`, where the `resumed` ones began on an earlier day."""
    rows = counts.active_sessions
    if not rows.num_rows:
        return SCHEMAS["sessions"].empty_table()
    names = rows["session_id"].cast(_TEXT).combine_chunks()
    is_new = pc.invert(pc.is_in(names, value_set=pa.array(sorted(resumed), _TEXT)))
    columns = {
        "slice": rows["slice"],
        "session": pc.index_in(names, value_set=names.unique().sort()),
        "client": rows["client"],
        "is_begun": pc.and_(rows["is_first"], is_new),
    }
    return packing.cast(pa.table(columns), SCHEMAS["sessions"])


def records(table: pa.Table) -> Iterator[tuple[Any, ...]]:
    """The rows of a small table."""
    return zip(*(column.to_pylist() for column in table.columns), strict=True)


def _table(rows: list[tuple[Any, ...]], schema: pa.Schema) -> pa.Table:
    if not rows:
        return schema.empty_table()
    return pa.table(list(zip(*rows, strict=True)), schema=schema)


def _by_model(calls: pa.Table, name: str) -> pa.Table:
    """The rows of the query `tokens` by slice and model alone, in the columns of one of SCHEMAS. A
    model's tier is "thinking" when any of its calls ran with reasoning."""
    if not calls.num_rows:
        return calls
    names = SCHEMAS[name].names
    sums = [(figure, "max" if figure == "model_tier" else "sum") for figure in names[2:]]
    rows = calls.group_by(["slice", "model"], use_threads=False).aggregate(sums)
    rows = rows.select(["slice", "model", *(f"{figure}_{how}" for figure, how in sums)])
    return rows.rename_columns(names)


def _executed(tools: pa.Table) -> pa.Table:
    """The rows of the query `tools`, which are in order, by slice, tool and server: executed
    calls."""
    if not tools.num_rows:
        return tools
    folded = packing.folded(tools, ["slice", "tool", "mcp_server"], "calls")
    return folded.filter(pc.greater(folded["calls"], 0))


def _pull_requests(git: pa.Table) -> pa.Table:
    """The rows of the query `git` by slice: pull requests."""
    if not git.num_rows:
        return git
    summed = git.group_by(["slice"], use_threads=False).aggregate([("git_prs_created", "sum")])
    summed = summed.select(["slice", "git_prs_created_sum"])
    summed = summed.rename_columns(["slice", "git_prs_created"])
    return summed.filter(pc.greater(summed["git_prs_created"], 0))
