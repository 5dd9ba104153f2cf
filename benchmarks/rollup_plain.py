"""The plain grouped queries that a rollup is held against: those behind the five reports, and those
behind all that is stored of a day.

They answer what is stored for a lake without repeats, gaps or competing sources: no event is
counted once, no level, user or client filled, nothing ranked, rendered or stored.
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

_HOUR = "cast(floor((ts % 86400000) / 3600000) as tinyint)"
_TOKENS = """sum(input_tokens), sum(output_tokens), sum(cache_read_tokens),
  sum(cache_write_tokens), sum(cache_write_1h_tokens), sum(cost_usd)"""
_SLICE = "user_id, product, repo, team"
OTHERS = {
    "calls": f"select {_SLICE}, root_session_id, model, model_tier, branch, {_HOUR}, count(*),"
    f" {_CREDITS}, {_TOKENS} {_CALLS} group by all",
    "tool calls": f"""select {_SLICE}, tool_raw, mcp_server,
      floor(4 * log2(greatest(duration_ms, 1))), count(*), count(*) filter (where not success),
      count(*) filter (where decision = 'reject'), max(duration_ms)
      from events where kind = 'tool_call' group by all""",
    "edits": f"""select {_SLICE}, language, {_HOUR}, count(*), sum(lines_added), sum(lines_removed)
      from events where kind = 'file_change' or tool in ('edit', 'write') group by all""",
    "git": f"select {_SLICE}, branch, kind, {_HOUR}, count(*) from events"
    " where kind in ('git_commit', 'git_pull_request') group by all",
    "errors": f"select {_SLICE}, model, error_class, {_HOUR}, count(*) from events"
    " where kind = 'model_error' group by all",
    "names": f"select {_SLICE}, kind, skill, slash_command, hook_event, hook_matcher, hook_command,"
    " success, sum(count) from events where kind in ('skill', 'slash_command', 'hook')"
    " group by all",
    "files": f"select {_SLICE}, file_ext, language, file_op, count(*) from events"
    " where kind = 'file_change' group by all",
    "levels": f"select {_SLICE}, autonomy, count(*) from events where {_RUN} group by all",
    "sessions": """select product, root_session_id, min(user_id), min(client), min(repo), min(team),
      max(branch), min(ts), max(ts), min(source), max(installation),
      count(*) filter (where kind = 'user_message'), count(*) filter (where kind = 'model_error'),
      count(*) filter (where kind = 'file_change'), sum(lines_added), sum(lines_removed),
      count(*) filter (where kind = 'git_commit'),
      count(*) filter (where kind = 'git_pull_request') from events group by all""",
    "models of sessions": f"select root_session_id, model, count(*), {_CREDITS}, {_TOKENS} {_CALLS}"
    " group by all",
    "tools of sessions": """select root_session_id, tool_raw, count(*),
      count(*) filter (where not success), count(*) filter (where decision = 'reject')
      from events where kind = 'tool_call' group by all""",
    "people": """select product, user_id, user_source, installation, account, min(user_email)
      from events group by all""",
    "quality": """select product, count(*), count(root_session_id), count(repo), count(client),
      count(autonomy) from events group by all""",
    "repeats": "select event_id_hi from events group by all having count(*) > 1",
}
"""What is stored beside the five reports: slices, facts, sessions, people, and what events lack."""


def answer(settings: Settings, folder: Path, *, are_all: bool = False) -> None:
    """Run every query over one day's parts, of the five reports or of all that is stored, and take
    the rows out as Arrow."""
    connection = duckdb.connect(config={"threads": settings.rollup_threads})
    connection.execute(f"set memory_limit = '{settings.rollup_memory // 2**20}MiB'")
    connection.execute("set preserve_insertion_order = false")
    connection.execute(f"create view events as from read_parquet('{folder}/*.parquet')")
    connection.execute(
        "create table rates as select distinct model, 1000 as milli from events"
        " where model is not null"
    )
    for query in (QUERIES | OTHERS if are_all else QUERIES).values():
        connection.sql(query).to_arrow_table()
    connection.close()
