-- The tools that were called with their MCP servers, numbered in their order: `number` is that of
-- both, `tool_number` that of the tool alone.
select
  tool,
  mcp_server,
  cast(dense_rank() over (order by tool) - 1 as int) as tool_number,
  cast(row_number() over (order by tool, mcp_server nulls last) - 1 as int) as number
from (
  select distinct
    coalesce(tool_raw, tool, 'unknown') as tool,
    case when tool_kind = 'mcp' then coalesce(mcp_server, 'unknown') end as mcp_server
  from counted
  where kind = 'tool_call'
) as names_of_day
