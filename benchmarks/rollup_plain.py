"""The plain grouped queries behind the five reports: the limit that a rollup is held against.

They answer what the documents say for a lake without repeats, gaps or competing sources: no event
is counted once, no level, user or client filled, nothing ranked, rendered or stored.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from stationmaster.settings import Settings

_RUN = "kind = 'tool_call' and decision <> 'reject'"
_CREDITS = """sum((r.milli * (10 * (input_tokens + output_tokens + cache_write_tokens)
  + cache_read_tokens) + 5000) // 10000)"""
_COUNTERS = f"""{_CREDITS}, sum(input_tokens), sum(output_tokens), sum(cache_read_tokens),
  sum(cache_write_tokens)"""
_CALLS = "from events join rates as r using (model) where kind = 'model_call'"
_SPOKEN = "kind = 'model_call' and not is_subagent and not is_auxiliary"
_ACTIVE = "kind in ('user_message', 'tool_call', 'model_call')"

QUERIES = {
    "tokens by model": f"select model, model_tier, {_COUNTERS} {_CALLS} group by all",
    "tokens by user and model": f"select user_id, model, model_tier, {_COUNTERS} {_CALLS}"
    " group by all",
    "tools by name": f"select tool_raw, count(*) from events where {_RUN} group by all",
    "MCP calls by server": f"select lower(mcp_server), count(*) from events where {_RUN}"
    " and tool_kind = 'mcp' group by all",
    "users with MCP": f"select count(distinct user_id) from events where {_RUN}"
    " and tool_kind = 'mcp'",
    "skills": "select skill, count(*) from events where kind = 'skill' group by all",
    "commands": "select slash_command, count(*) from events where kind = 'slash_command'"
    " group by all",
    "hooks": "select hook_event, hook_command, sum(count) from events where kind = 'hook'"
    " group by all",
    "calls per turn": f"""select avg(c), percentile_cont(0.5) within group (order by c),
      percentile_cont(0.9) within group (order by c) from (
        select count(*) filter (where {_RUN}) / count(*) filter (where kind = 'user_message') as c
        from events where kind in ('tool_call', 'user_message') group by user_id
        having count(*) filter (where kind = 'user_message') > 0)""",
    "autonomy": f"select autonomy, count(*) from events where {_RUN} group by all",
    "activity": f"""select count(distinct user_id), count(distinct root_session_id),
      count(*) filter (where kind = 'user_message'), count(*) filter (where {_SPOKEN})
      from events where {_ACTIVE}""",
    "active users by client": f"select client, count(distinct user_id) from events where {_ACTIVE}"
    " group by all",
    "files by extension": "select file_ext, count(*) from events where kind = 'file_change'"
    " group by all",
    "files by language": "select language, count(*) from events where kind = 'file_change'"
    " group by all",
    "productivity": """select count(*) filter (where file_op = 'created'),
      count(*) filter (where file_op = 'edited'), count(*) filter (where kind = 'git_commit'),
      count(*) filter (where kind = 'git_pull_request') from events
      where kind in ('file_change', 'git_commit', 'git_pull_request')""",
    "users": f"""select user_id, any_value(user_email), count(*) filter (where {_RUN}),
      count(*) filter (where {_RUN} and tool_kind = 'mcp'),
      count(*) filter (where kind = 'skill'), count(*) filter (where kind = 'slash_command'),
      sum(count) filter (where kind = 'hook'), count(distinct root_session_id),
      count(*) filter (where kind = 'user_message'), count(*) filter (where {_SPOKEN}),
      count(*) filter (where file_op = 'created'), count(*) filter (where file_op = 'edited'),
      count(*) filter (where kind = 'git_commit'),
      count(*) filter (where kind = 'git_pull_request') from events group by all""",
    "users by level": f"select user_id, autonomy, count(*) from events where {_RUN} group by all",
    "users by language": "select distinct user_id, language from events where kind = 'file_change'",
}


def answer(settings: Settings, folder: Path) -> None:
    """Run every query over one day's parts, and take the rows out as Arrow."""
    connection = duckdb.connect(config={"threads": settings.rollup_threads})
    connection.execute(f"set memory_limit = '{settings.rollup_memory // 2**20}MiB'")
    connection.execute("set preserve_insertion_order = false")
    connection.execute(f"create view events as from read_parquet('{folder}/*.parquet')")
    connection.execute(
        "create table rates as select distinct model, 1000 as milli from events"
        " where model is not null"
    )
    for query in QUERIES.values():
        connection.sql(query).to_arrow_table()
    connection.close()
