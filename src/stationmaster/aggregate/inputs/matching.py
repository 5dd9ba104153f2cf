"""Finding events that sources reported under ids of their own, and choosing between those that
nothing matches: see docs/reference/counting.md."""

from __future__ import annotations

from typing import NamedTuple, get_args

import pyarrow as pa

from stationmaster.aggregate.engines.engine import Engine
from stationmaster.aggregate.queries import sql
from stationmaster.events.model import Source

_SHARED_IDS = 1024
"""Represents all sources that share ids in one session: see `losers.sql`."""
_KEYS = (
    # A name that the agent gave it.
    "case kind when 'file_change' then concat(own_id, '/', name) when 'model_call' then null"
    " else own_id end",
    # All that sources report in the same way.
    "case kind when 'model_call' then concat_ws('/', coalesce(name, ''), input_tokens,"
    " output_tokens, cache_read_tokens, cache_write_tokens)"
    " when 'tool_call' then concat_ws('/', name, refused, coalesce(succeeded, 2))"
    " when 'hook' then null else concat(kind, '/', coalesce(name, '')) end",
    # A model under another name, or a source that does not know what was cached.
    "case kind when 'model_call' then concat_ws('/', prompt_tokens, output_tokens)"
    " when 'tool_call' then concat_ws('/', name, refused) end",
    # An output that one source knows from before it was finished; a refusal or a command that one
    # of them does not know to be one.
    "case when kind = 'model_call' and prompt_tokens > 0 then concat(prompt_tokens, '')"
    " when kind = 'tool_call' and (refused = 1 or succeeded is null) then name"
    " when kind in ('user_message', 'slash_command') then '' end",
)
"""What units have in common that become one, in the order in which it is tried: `match.sql`."""


class Matched(NamedTuple):
    """Whether the tables `matched_ids` and `losers` are there, which have rows if they are."""

    has_ids: bool = False
    has_losers: bool = False


def match(engine: Engine) -> Matched:
    """Match the events of an opened day, and choose between sources where nothing does."""
    engine.register("source_bits", _source_bits())
    engine.keep("products", sql("products"))
    engine.keep("several", sql("several"))
    if not _any(engine, "several where is_contested"):
        return Matched()
    engine.keep("contested", sql("contested"))
    if not _any(engine, "contested"):
        return Matched()
    engine.keep("candidates", sql("candidates"))
    before = "unmatched"
    engine.view(
        before,
        "select event_id_hi, event_id_lo, event_id_hi as unit_hi, event_id_lo as unit_lo"
        " from candidates",
    )
    for number, key in enumerate(_KEYS):
        before = _pass(engine, number, before, key)
    engine.keep("matched", sql("match_empty").format(before=before))
    engine.keep("matched_ids", sql("matched_ids"))
    engine.keep("losers", sql("losers"))
    return Matched(_any(engine, "matched_ids"), _any(engine, "losers"))


def _pass(engine: Engine, number: int, before: str, key: str) -> str:
    """The name of the table that has the unit of every candidate after a pass."""
    # Each step is kept: Spark plans a query that is named several times as often.
    tables = {
        "before": before,
        "ranked": f"ranked_{number}",
        "taken": f"taken_{number}",
    }
    engine.keep(tables["ranked"], sql("match_ranked").format(key=key, **tables))
    engine.keep(tables["taken"], sql("match_taken").format(**tables))
    engine.keep(f"matched_{number}", sql("match").format(**tables))
    engine.drop(tables["ranked"])
    engine.drop(tables["taken"])
    return f"matched_{number}"


def _any(engine: Engine, rows: str) -> bool:
    return bool(engine.fetch(f"select 1 as one from {rows} limit 1").num_rows)


def _source_bits() -> pa.Table:
    """A bit for every source, and the one that represents several."""
    sources = (*get_args(Source), "")
    assert len(sources) <= _SHARED_IDS.bit_length()
    bits = [*(1 << place for place in range(len(sources) - 1)), _SHARED_IDS]
    return pa.table({"source": pa.array(sources), "bit": pa.array(bits, pa.int64())})
