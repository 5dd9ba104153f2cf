-- Executed tool calls by name and MCP server.
select
  coalesce(e.tool_raw, e.tool, 'unknown') as tool,
  case when e.tool_kind = 'mcp' then coalesce(e.mcp_server, 'unknown') end as mcp_server,
  cast(sum(e.count) as bigint) as calls
from counted as e
left join irregular as s on s.product = e.product and s.session_id = e.session_id
where
  e.kind = 'tool_call'
  and coalesce(e.decision, '') <> 'reject'
  and (s.session_id is null or s.tools_bit = 1 << e.source_group)
group by
  coalesce(e.tool_raw, e.tool, 'unknown'),
  case when e.tool_kind = 'mcp' then coalesce(e.mcp_server, 'unknown') end
