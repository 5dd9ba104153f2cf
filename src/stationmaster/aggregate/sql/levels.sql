-- Executed tool calls by slice and autonomy level.
select
  slice,
  autonomy,
  cast(sum(count) as bigint) as calls,
  cast(sum(case when is_mcp then count else 0 end) as bigint) as mcp_calls
from tool_calls
where not is_refused
group by slice, autonomy
