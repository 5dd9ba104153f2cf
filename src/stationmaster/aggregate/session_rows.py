"""The sessions of a day as the rows in which they are stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, get_args

import msgspec
import pyarrow as pa

from stationmaster import ids
from stationmaster.aggregate.metrics import Counts
from stationmaster.aggregate.slices import observed_emails, records
from stationmaster.events.model import Source
from stationmaster.ids import OrgId
from stationmaster.rollups.sessions import ModelPart, SessionDay, ToolPart

SOURCES: tuple[str, ...] = get_args(Source)
"""Source n has the bit 2^n in `sources` of session_sums.sql."""
PARTS_MAX = 50
"""The models, and the tools, of a session that are stored by name; the rest is OTHER."""
OTHER = "other"
_CALLS = (
    *("calls", "unpriced_calls", "billable_tokens", "input_tokens", "output_tokens"),
    *("cache_read_tokens", "cache_write_tokens", "amount"),
)
_KEPT = (
    *("user_messages", "model_errors", "files_changed", "lines_added", "lines_removed"),
    *("git_commits", "git_prs_created"),
)
_encode = msgspec.json.encode
Part = TypeVar("Part", ModelPart, ToolPart)


def of(counts: Counts, org: OrgId, emails: Mapping[str, str]) -> list[SessionDay]:
    """A row for every session of a day. `emails` gives addresses by user id."""
    observed = observed_emails(counts)
    models, tools = _models(counts.tokens), _tools(counts.session_tools)
    rows = []
    for sums in counts.session_sums.to_pylist():
        key = f"{sums['product']}/{sums['session_id']}"
        email = emails.get(sums["user_id"]) or observed.get(sums["user_id"])
        rows.append(_row(org, sums, email, models.get(key, []), tools.get(key, [])))
    return rows


def _row(
    org: OrgId,
    sums: dict[str, Any],
    email: str | None,
    models: Sequence[ModelPart],
    tools: Sequence[ToolPart],
) -> SessionDay:
    product, installation, sources = sums["product"], sums["installation"], sums["sources"]
    calls = _sum(models)
    runs = _sum(tools)
    return SessionDay(
        session_id=ids.session_of(org, product, sums["session_id"]),
        agent_session_id=sums["session_id"],
        agent=product,
        client=sums["client"],
        user_id=sums["user_id"],
        user_email=email,
        team=sums["team"],
        repository=sums["repo"],
        branch=sums["branch"],
        machine=None if installation is None else ids.machine_of(org, installation),
        sources=",".join(name for n, name in enumerate(SOURCES) if sources >> n & 1),
        started_at=sums["started_at"],
        ended_at=sums["ended_at"],
        model_calls=calls.get("calls", 0),
        unpriced_calls=calls.get("unpriced_calls", 0),
        tool_calls=runs.get("calls", 0),
        failed_tool_calls=runs.get("failed", 0),
        refused_tool_calls=runs.get("refused", 0),
        **{name: sums[name] for name in _KEPT},
        **{name: calls.get(name, 0) for name in _CALLS if name.endswith("_tokens")},
        amount=str(calls.get("amount", 0)),
        models=_encode(_bounded_models(models)).decode(),
        tools=_encode(_bounded_tools(tools)).decode(),
    )


def _models(calls: pa.Table) -> dict[str, list[ModelPart]]:
    """The models of every session, from the rows of the query `tokens`; most credits first."""
    if not calls.num_rows:
        return {}
    keys = ["session_id", "model"]
    sums = calls.group_by(keys, use_threads=False).aggregate([(name, "sum") for name in _CALLS])
    found: dict[str, list[ModelPart]] = {}
    for session, model, *figures, amount in records(
        sums.select([*keys, *(f"{name}_sum" for name in _CALLS)])
    ):
        if session is not None:
            part = ModelPart._make((model, *figures, int(amount)))
            found.setdefault(session, []).append(part)
    for parts in found.values():
        parts.sort(key=lambda part: (-part.billable_tokens, part.model))
    return found


def _tools(calls: pa.Table) -> dict[str, list[ToolPart]]:
    """The tools of every session, most calls first."""
    found: dict[str, list[ToolPart]] = {}
    for product, session, *part in records(calls):
        found.setdefault(f"{product}/{session}", []).append(ToolPart(*part))
    for parts in found.values():
        parts.sort(key=lambda part: (-part.calls, part.tool))
    return found


def _sum(parts: Sequence[Part]) -> dict[str, int]:
    """The figures of all parts by name; empty for none."""
    figures = parts[0]._fields[1:] if parts else ()
    return {name: sum(getattr(part, name) for part in parts) for name in figures}


def _bounded_models(parts: Sequence[ModelPart]) -> list[ModelPart]:
    """The first PARTS_MAX parts, and the rest as one."""
    kept, rest = list(parts[:PARTS_MAX]), parts[PARTS_MAX:]
    return [*kept, ModelPart(OTHER, **_sum(rest))] if rest else kept


def _bounded_tools(parts: Sequence[ToolPart]) -> list[ToolPart]:
    """The first PARTS_MAX parts, and the rest as one."""
    kept, rest = list(parts[:PARTS_MAX]), parts[PARTS_MAX:]
    return [*kept, ToolPart(OTHER, **_sum(rest))] if rest else kept
