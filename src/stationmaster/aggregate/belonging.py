"""The sessions of calls that an agent made through the gateway without naming a session."""

from __future__ import annotations

from stationmaster.aggregate.engine import Engine
from stationmaster.aggregate.queries import sql
from stationmaster.lake.schema import SCHEMA

_WITHOUT = "source = 'gateway' and kind = 'model_call' and root_session_id is null"
_COLUMNS = ", ".join(
    "coalesce(e.root_session_id, b.session_id) as root_session_id"
    if name == "root_session_id"
    else f"e.{name}"
    for name in SCHEMA.names
)


def put_into_sessions(engine: Engine) -> None:
    """Make `events` of the events that are `present`: calls of the gateway without a session have
    the one that they belong to, where the agent's own reports show it. Those that belong to none
    stay without.
    """
    if not engine.fetch(f"select 1 as one from present where {_WITHOUT} limit 1").num_rows:
        engine.view("events", "select * from present")
        return
    engine.keep("belonging", sql("belonging"))
    engine.view(
        "events",
        f"select {_COLUMNS} from present as e left join belonging as b"
        " on b.event_id_hi = e.event_id_hi and b.event_id_lo = e.event_id_lo"
        " and e.source = 'gateway' and e.root_session_id is null",
    )
