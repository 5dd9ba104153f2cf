"""The sessions of calls that an agent made through the gateway without naming a session."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from stationmaster.aggregate.engines.engine import Engine
from stationmaster.aggregate.queries import sql
from stationmaster.lake.schema import SCHEMA

_COLUMNS = ", ".join(
    "coalesce(e.root_session_id, b.session_id) as root_session_id"
    if name == "root_session_id"
    else f"e.{name}"
    for name in SCHEMA.names
)
COLUMNS = (
    *("event_id_hi", "event_id_lo", "product", "user_id", "user_source", "ts", "model"),
    *("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"),
    *("source", "kind", "root_session_id", "is_aggregate"),
)
"""Of events, what shows to which session calls belong."""
AROUND_MS = 45 * 60_000
"""How far from a call events may be that show to which session it belongs: a report of it, another
call that has that report, and the report that this one could have in its place."""
_MEMORY = "256MB"


def put_into_sessions(engine: Engine) -> None:
    """Make `events` of the events that are `present`: calls of the gateway without a session have
    the one that they belong to, where the agent's own reports show it. Those that belong to none
    stay without.
    """
    engine.keep("gateway_calls", sql("gateway_calls"))
    if not engine.fetch("select 1 as one from gateway_calls limit 1").num_rows:
        engine.view("events", "select * from present")
        return
    # Each step is kept: Spark plans a query that is named several times as often.
    engine.keep("gateway_reported", sql("gateway_reported"))
    engine.keep("belonging", sql("belonging"))
    engine.view(
        "events",
        f"select {_COLUMNS} from present as e left join belonging as b"
        " on b.event_id_hi = e.event_id_hi and b.event_id_lo = e.event_id_lo"
        " and e.source = 'gateway' and e.root_session_id is null",
    )


def is_without_session() -> pc.Expression:
    """Whether an event is a call of the gateway whose agent named no session."""
    return (
        (pc.field("source") == "gateway")
        & (pc.field("kind") == "model_call")
        & pc.field("root_session_id").is_null()
    )


def calls_of(events: pa.Table, session: str) -> set[tuple[int, int]]:
    """The ids of calls without a session that belong to one (its agent's name for it), by the rule
    of `put_into_sessions`; `events` have COLUMNS, and are those of one agent around the session.
    """
    with duckdb.connect(":memory:", config={"threads": 1, "memory_limit": _MEMORY}) as connection:
        connection.register("present", events)
        for table in ("gateway_calls", "gateway_reported"):
            connection.execute(f"create temp table {table} as {sql(table)}")
        belonging = connection.sql(sql("belonging"))
        rows = belonging.filter(duckdb.ColumnExpression("session_id") == session).fetchall()
    return {(hi, lo) for hi, lo, _ in rows}
