"""What happened in one session, step by step: names and figures, as no content is stored.

Steps are read from the lake's parts of the session's days when one is opened: storing them
next to the rows would double the CPU of every rollup, and keep single events for longer than their
retention. The read is bounded: row groups outside of the session's time are skipped, other
sessions' rows are dropped while they are read, and STEPS_MAX end it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import date
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from stationmaster.aggregate.inputs import belonging
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake import entries, horizon
from stationmaster.lake.rollups.sessions import SessionDay
from stationmaster.lake.schema import SCHEMA
from stationmaster.lake.storage import Lake
from stationmaster.pricing.credits.card import Card, Tier

STEPS_MAX = 1_000
DAYS_MAX = 31
"""The first days of a session, which are read."""
EVENTS_MAX = 20_000
"""Events of a session's day that are read."""
KINDS = (
    *("user_message", "slash_command", "model_call", "model_error", "tool_call"),
    *("git_commit", "git_pull_request"),
)
_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
_COLUMNS = (
    *("event_id_hi", "event_id_lo", "kind", "ts", "source", "source_rank", "is_subagent"),
    *("is_auxiliary", "model", *_TOKENS),
    *("tool", "tool_raw", "success", "duration_ms", "decision"),
    *("slash_command", "error_class", "root_session_id"),
    *("model_tier", "cache_write_1h_tokens", "speed", "service_tier", "region", "quality"),
)


class SessionStep(NamedTuple):
    """One step. `name` is a model, a tool or a command; `outcome` one of ok, failed, refused, or
    the class of a model's error; figures that were not reported are None. `amount` is what a model
    call cost in 10⁻¹² dollars, None where it has no price."""

    at: int
    kind: str
    name: str | None
    outcome: str
    is_subagent: bool
    duration_ms: int | None
    input_tokens: int | None
    output_tokens: int | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    amount: int | None


class Timeline(NamedTuple):
    """The first STEPS_MAX steps. `left_out` is how many more there are in the days that were read.
    `erased` are days whose events were erased by policy; `unread` are days beyond DAYS_MAX."""

    steps: list[SessionStep]
    left_out: int
    erased: list[date]
    unread: int


def read(
    db: Database, lake: Lake, org: OrgId, rows: Iterable[tuple[date, SessionDay]], card: Card
) -> Timeline:
    """The steps of a session, by time, model calls at the prices of `card`. Raises as the lake
    does.

    Events that several sources report under one id are one step; where sources without shared
    ids report steps of one kind, those of the source that reports most of that kind.
    """
    day_rows = list(rows)
    through = horizon.closed_through(db, org)
    erased = [day for day, _ in day_rows if through is not None and day <= through]
    steps: list[SessionStep] = []
    left_out = 0
    for day, row in day_rows[:DAYS_MAX]:
        if day in erased:
            continue
        of_day = _steps(_events(db, lake, org, day, row), card, day)
        room = STEPS_MAX - len(steps)
        steps += of_day[:room]
        left_out += max(len(of_day) - room, 0)
    return Timeline(steps, left_out, erased, max(len(day_rows) - DAYS_MAX, 0))


def _events(db: Database, lake: Lake, org: OrgId, day: date, row: SessionDay) -> pa.Table:
    """The events of a session on a day, with calls of the gateway that named no session and belong
    to this one."""
    is_loose = belonging.is_without_session()
    condition = (
        ((pc.field("root_session_id") == row.agent_session_id) | is_loose)
        & (pc.field("product") == row.agent)
        & (pc.field("ts") >= row.started_at)
        & (pc.field("ts") <= row.ended_at)
        & pc.field("kind").isin(KINDS)
        & ~pc.field("is_aggregate")
    )
    events = _read(db, lake, org, day, _COLUMNS, condition)
    loose = events.filter(is_loose)
    if not loose.num_rows:
        return events
    around = (
        (pc.field("product") == row.agent)
        & (pc.field("ts") >= row.started_at - belonging.AROUND_MS)
        & (pc.field("ts") <= row.ended_at + belonging.AROUND_MS)
    )
    near = _read(db, lake, org, day, belonging.COLUMNS, around)
    mine = belonging.calls_of(near, row.agent_session_id)
    kept = [
        (hi, lo) in mine
        for hi, lo in zip(
            loose["event_id_hi"].to_pylist(), loose["event_id_lo"].to_pylist(), strict=True
        )
    ]
    return pa.concat_tables([events.filter(~is_loose), loose.filter(pa.array(kept, pa.bool_()))])


def _read(
    db: Database,
    lake: Lake,
    org: OrgId,
    day: date,
    columns: tuple[str, ...],
    condition: pc.Expression,
) -> pa.Table:
    """Some events of a day, at most EVENTS_MAX."""
    tables = [pa.schema([SCHEMA.field(name) for name in columns]).empty_table()]
    for part in entries.visible(db, lake, org, day):
        if sum(table.num_rows for table in tables) >= EVENTS_MAX:
            break
        with lake.reading(part) as file:
            tables.append(
                pq.read_table(
                    file,
                    columns=list(columns),
                    filters=condition,
                    schema=SCHEMA,
                    use_threads=False,
                    page_checksum_verification=True,
                )
            )
    return pa.concat_tables(tables)[:EVENTS_MAX]


def _steps(events: pa.Table, card: Card, day: date) -> list[SessionStep]:
    copies: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for event in sorted(events.to_pylist(), key=lambda event: (event["source_rank"], event["ts"])):
        copies.setdefault((event["event_id_hi"], event["event_id_lo"]), []).append(event)
    chosen = _chosen_sources(copies.values())
    kept = [
        _merged(group)
        for group in copies.values()
        if any((copy["kind"], copy["source"]) in chosen for copy in group)
    ]
    kept.sort(key=lambda event: (event["ts"], event["event_id_hi"], event["event_id_lo"]))
    return [_step(event, card, day) for event in kept]


def _chosen_sources(copies: Collection[list[dict[str, Any]]]) -> set[tuple[str, str]]:
    """Kinds of events with the sources that are shown of each: the one that reports most, and those
    that share ids with it."""
    sources = [{(copy["kind"], copy["source"]) for copy in group} for group in copies]
    reported = Counter(name for group in sources for name in group)
    best: dict[str, tuple[str, str]] = {}
    for kind, source in sorted(reported):
        if kind not in best or reported[kind, source] > reported[best[kind]]:
            best[kind] = kind, source
    most = set(best.values())
    return {name for group in sources if group & most for name in group}


def _merged(copies: list[dict[str, Any]]) -> dict[str, Any]:
    """One event of copies by rank, as rollups merge them: what one lacks is taken from the next,
    and of tokens the largest figure counts, an estimated one only where there is no other."""
    if len(copies) == 1:
        return copies[0]
    merged = {
        name: next((copy[name] for copy in copies if copy[name] is not None), None)
        for name in copies[0]
    }
    reported = [copy for copy in copies if "estimated" not in (copy["quality"] or "")]
    for name in _TOKENS:
        figures = [copy[name] for copy in reported if copy[name] is not None]
        if figures:
            merged[name] = max(figures)
    return merged


def _step(event: dict[str, Any], card: Card, day: date) -> SessionStep:
    kind = event["kind"]
    name = event["model"]
    outcome = "ok" if event["success"] is not False else "failed"
    if kind == "tool_call":
        name = event["tool_raw"] or event["tool"]
        outcome = "refused" if event["decision"] == "reject" else outcome
    elif kind == "slash_command":
        name = event["slash_command"]
    elif kind == "model_error":
        outcome = event["error_class"] or "unknown"
    return SessionStep(
        at=event["ts"],
        kind=kind,
        name=name,
        outcome=outcome,
        is_subagent=event["is_subagent"],
        duration_ms=event["duration_ms"],
        input_tokens=event["input_tokens"],
        output_tokens=event["output_tokens"],
        cache_read_tokens=event["cache_read_tokens"],
        cache_write_tokens=event["cache_write_tokens"],
        amount=_amount(event, card, day) if kind == "model_call" else None,
    )


def _amount(event: dict[str, Any], card: Card, day: date) -> int | None:
    """What a model call cost in 10⁻¹² dollars, by the rule of the rollups; None where tokens of it
    have no price, and where it reported none."""
    counters = [event[name] for name in _TOKENS]
    if all(tokens is None for tokens in counters):
        return None
    input_tokens, output, read, written = (tokens or 0 for tokens in counters)
    tier: Tier = "thinking" if event["model_tier"] == "thinking" else "standard"
    rate = card.rate(event["model"] or "", tier, day, event["region"])
    for_an_hour = min(event["cache_write_1h_tokens"] or 0, written)
    counts = (input_tokens, output, read, written)
    return rate.amount(event["speed"], event["service_tier"], counts, for_an_hour)
