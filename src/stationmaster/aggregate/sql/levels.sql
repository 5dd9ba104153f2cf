-- Executed tool calls by slice and autonomy level.
select
  slice,
  autonomy,
  cast(sum(count) as bigint) as calls,
  cast(sum(case when mcp_server is null then 0 else count end) as bigint) as mcp_calls
from tool_calls
where not is_refused
group by slice, autonomy
