-- Executed tool calls by slice, name and MCP server.
with calls as (
  select
    coalesce(s.user_id, e.user_id) as user_id,
    e.product,
    e.repo,
    e.team,
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
    coalesce(s.user_id, e.user_id),
    e.product,
    e.repo,
    e.team,
    coalesce(e.tool_raw, e.tool, 'unknown'),
    case when e.tool_kind = 'mcp' then coalesce(e.mcp_server, 'unknown') end
)
select slice, tool, mcp_server, calls
from calls
inner join slices using (user_id, product, repo, team)
