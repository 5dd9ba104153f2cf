-- Tool calls of every session, by its number, and tool, as numbered by tool_names.sql: executed
-- ones, those of them that failed, refused ones. The slice is one of the session's. The most used
-- tools of a session are first.
select
  min(slice) as slice,
  session,
  tool_number,
  cast(sum(case when is_refused then 0 else count end) as bigint) as calls,
  cast(sum(case when is_failed then count else 0 end) as bigint) as failed,
  cast(sum(case when is_refused then count else 0 end) as bigint) as refused
from tool_calls
where not is_loose
group by session, tool_number
order by session, calls desc, tool_number
