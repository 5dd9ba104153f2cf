"""Synthetic lakes of one organization and day, in the real schema; the same rows every time.

About 100 events per session and at most 10,000 users, some 50 sessions at a time in order of
arrival. Every value is a hash of the row's number, so nothing has to be kept.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path

import duckdb
import pyarrow as pa
from stationmaster.lake.local_files import LocalFiles

from stationmaster import days
from stationmaster.lake.schema import SCHEMA
from stationmaster.lake.storage import Lake

DAY = date(2026, 11, 10)
PART_ROWS = 1_000_000
EVENTS_PER_SESSION = 100
USERS_MAX = 10_000

TYPES = {
    pa.string(): "varchar",
    pa.int64(): "bigint",
    pa.int8(): "tinyint",
    pa.float64(): "double",
    pa.bool_(): "boolean",
}

_CALL = "kind = 'model_call'"
_TOOL = "kind = 'tool_call'"
_LEVELS = "['auto-high', 'auto-medium', 'auto-low', 'spec', 'manual']"

# `n` numbers the row, `h` and `g` are its random numbers, `s` is its session, `u` its user.
COLUMNS = {
    "event_id_hi": "cast(hash(n, 1) >> 1 as bigint) * (case when n % 2 = 0 then 1 else -1 end)",
    "event_id_lo": "cast(hash(n, 2) >> 1 as bigint)",
    "kind": "kind",
    "product": "case when s % 3 = 0 then 'codex' else 'claude-code' end",
    "source": "case when s % 3 = 0 then 'transcript' else 'otlp_logs' end",
    "ts_source": "'event'",
    "source_rank": "1",
    "source_group": "1",
    "product_version": "'2.1.4'",
    "user_id": "'user_' || substr(md5(cast(u as varchar)), 1, 16)",
    "user_email": "'person' || u || '@example.com'",
    "user_source": "'email'",
    "installation": "md5(cast(u as varchar))",
    "session_id": "session",
    "root_session_id": "session",
    "turn_id": "md5(cast(n // 20 as varchar))",
    "is_subagent": "h % 10 = 0",
    "is_auxiliary": "kind = 'model_call' and h % 50 = 1",
    "client": "['web', 'non-interactive-cli', 'terminal-ui', 'terminal-ui'][1 + s % 4]",
    "surface": "'cli'",
    "autonomy": f"case when kind = 'mode_change' or ({_TOOL} and s % 2 = 0)"
    f" then {_LEVELS}[1 + s % 5] end",
    "model": f"case when {_CALL} then ['claude-opus-4-5', 'claude-sonnet-4-5', 'claude-haiku-4-5',"
    " 'gpt-5.2-codex', 'gpt-5-mini', 'gemini-2.5-pro'][1 + (s + (h % 10) // 9) % 6] end",
    "model_tier": f"case when {_CALL} then case when s % 2 = 0 then 'thinking'"
    " else 'standard' end end",
    "input_tokens": f"case when {_CALL} then hash(n, 10) % 20000 end",
    "output_tokens": f"case when {_CALL} then hash(n, 11) % 4000 end",
    "cache_read_tokens": f"case when {_CALL} then hash(n, 12) % 90001 end",
    "cache_write_tokens": f"case when {_CALL} then hash(n, 13) % 6007 end",
    "cache_write_1h_tokens": f"case when {_CALL} and s % 2 = 0 then hash(n, 13) % 3001 end",
    "service_tier": f"case when {_CALL} then 'standard' end",
    "speed": f"case when {_CALL} and s % 6 = 1 and h % 10 = 0 then 'fast' end",
    "cost_usd": f"case when {_CALL} then (h % 1000) / 1e4 end",
    "tool": f"case when {_TOOL} then 'tool_' || (g % 40) end",
    "tool_raw": f"case when {_TOOL} then 'Tool' || (g % 40) end",
    "tool_kind": f"case when {_TOOL} then case when g % 40 < 6 then 'mcp' else 'builtin' end end",
    "tool_call_id": f"case when {_TOOL} then 'toolu_' || md5(cast(n as varchar)) end",
    "mcp_server": f"case when {_TOOL} and g % 40 < 6 then 'server_' || (g % 6) end",
    "success": "case when kind in ('tool_call', 'file_change', 'skill') then h % 20 <> 0 end",
    "duration_ms": f"case when {_TOOL} or {_CALL} then h % 60000 end",
    "decision": f"case when {_TOOL} then case when h % 60 = 0 then 'reject' else 'accept' end end",
    "skill": "case when kind = 'skill' then 'skill_' || (g % 20) end",
    "slash_command": "case when kind = 'slash_command' then 'command_' || (g % 20) end",
    "hook_event": "case when kind = 'hook'"
    " then ['PreToolUse', 'PostToolUse', 'Stop'][1 + g % 3] end",
    "hook_command": "case when kind = 'hook' then 'hook_' || (g % 10) end",
    "file_op": "case when kind = 'file_change'"
    " then case when h % 4 = 0 then 'created' else 'edited' end end",
    "file_path_hash": f"case when kind = 'file_change' or ({_TOOL} and g % 3 = 0)"
    " then substr(md5(h % 20 || '/' || s), 1, 16) end",
    "file_ext": "case when kind = 'file_change'"
    " then ['py', 'ts', 'tsx', 'go', 'rs', 'java', 'md', 'yml'][1 + g % 8] end",
    "language": "case when kind = 'file_change' then ['Python', 'TypeScript', 'TypeScript', 'Go',"
    " 'Rust', 'Java', 'Markdown', 'YAML'][1 + g % 8] end",
    "prompt_length": "case when kind = 'user_message' then h % 3000 end",
    "count": "1",
    "is_aggregate": "false",
}

_KIND = """case
  when n % 100 = 0 then 'mode_change'
  when h % 100 < 40 then 'model_call'
  when h % 100 < 78 then 'tool_call'
  when h % 100 < 84 then 'user_message'
  when h % 100 < 90 then 'file_change'
  when h % 100 < 96 then 'hook'
  when h % 100 < 97 then 'skill'
  when h % 100 < 98 then 'slash_command'
  when h % 700 < 690 then 'git_commit'
  else 'session_context'
end"""


def generate(lake_dir: Path, org: str, rows: int, *, copied_percent: int = 0) -> Path:
    """Write a day of so many rows; the folder of its parts.

    `copied_percent` of the rows come a second time from another source, in parts of their own.
    """
    folder = Path(Lake(LocalFiles(lake_dir)).partition(org, DAY))
    folder.mkdir(parents=True)
    connection = duckdb.connect(config={"threads": 2})
    for start in range(0, rows, PART_ROWS):
        stop = min(rows, start + PART_ROWS)
        name = f"part-{start // PART_ROWS:04d}.parquet"
        _write(connection, _query(start, stop, rows), folder / name)
        if copied_percent:
            copies = f"""select * replace (2 as source_rank, 'transcript' as source)
              from ({_query(start, stop, rows)}) where abs(event_id_lo) % 100 < {copied_percent}"""
            _write(connection, copies, folder / f"part-{start // PART_ROWS:04d}-copies.parquet")
    connection.close()
    return folder


def _write(connection: duckdb.DuckDBPyConnection, query: str, path: Path) -> None:
    connection.execute(f"copy ({query}) to '{path}' (format parquet, compression zstd)")


def _query(start: int, stop: int, rows: int) -> str:
    sessions = max(1, rows // EVENTS_PER_SESSION)
    users = min(USERS_MAX, sessions)
    ts = f"{days.start_ms(DAY)} + (n * 86000000) // {rows}"
    columns = {**COLUMNS, "ts": ts}
    listed = ",\n".join(
        f"cast({columns.get(field.name, 'null')} as {TYPES[field.type]}) as {field.name}"
        for field in SCHEMA
    )
    block = EVENTS_PER_SESSION * 50
    return f"""
    with numbered as (
      select n, cast(hash(n, 3) >> 2 as bigint) as h, cast(hash(n, 4) >> 2 as bigint) as g,
        least((n // {block}) * 50 + cast(hash(n, 5) % 50 as bigint), {sessions - 1}) as s
      from range({start}, {stop}) as t(n)
    ),
    placed as (
      select *, cast(hash(s, 6) % {users} as bigint) as u, cast(md5_number(s::varchar) >> 64 as
        varchar) || '-' || s as session, {_KIND} as kind
      from numbered
    )
    select {listed} from placed order by n"""
