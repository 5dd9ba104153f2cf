"""Finding events that sources reported under ids of their own, and choosing between those that
nothing matches: see docs/reference/counting.md."""

from __future__ import annotations

from typing import NamedTuple, get_args

import pyarrow as pa

from stationmaster.aggregate.engines.engine import Engine
from stationmaster.aggregate.queries import sql
from stationmaster.events.model import Source

SOURCES: tuple[str, ...] = get_args(Source)
"""Source n has the bit 2^n wherever several are in one number."""
_SHARED_IDS = 1024
"""Represents all sources that share ids in one session: see `left_out_units.sql`."""
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
    """Whether the tables `matched_ids` and `left_out_units` are there, which then have rows."""

    has_ids: bool = False
    has_left_out: bool = False


def match(engine: Engine) -> Matched:
    """Match the events of an opened day, and choose between sources where nothing does."""
    engine.register("source_bits", _source_bits())
    engine.keep("products", sql("products"))
    engine.keep("multi_source_sessions", sql("multi_source_sessions"))
    if not _any(engine, "multi_source_sessions where is_contested"):
        return Matched()
    engine.keep("incomplete_families", sql("incomplete_families"))
    if not _any(engine, "incomplete_families"):
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
    engine.keep("left_out_units", sql("left_out_units"))
    return Matched(_any(engine, "matched_ids"), _any(engine, "left_out_units"))


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


def bit_of_source() -> str:
    """The bit of the column `source`, as an expression: 0 of an unknown one."""
    cases = " ".join(f"when '{source}' then {1 << place}" for place, source in enumerate(SOURCES))
    return f"case source {cases} else 0 end"


def _source_bits() -> pa.Table:
    """A bit for every source, and the one that represents several."""
    sources = (*SOURCES, "")
    assert len(sources) <= _SHARED_IDS.bit_length()
    bits = [*(1 << place for place in range(len(sources) - 1)), _SHARED_IDS]
    return pa.table({"source": pa.array(sources), "bit": pa.array(bits, pa.int64())})
