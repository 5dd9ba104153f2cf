-- Executed tool calls by slice and autonomy level. A call that does not name its level has the one
-- that its session was in at that time.
with calls as (
  select
    coalesce(s.user_id, e.user_id) as user_id,
    e.product,
    e.repo,
    e.team,
    coalesce(e.autonomy, m.autonomy, 'unknown') as autonomy,
    cast(sum(e.count) as bigint) as calls,
    cast(sum(case when e.tool_kind = 'mcp' then e.count else 0 end) as bigint) as mcp_calls
  from counted as e
  left join irregular as s on s.product = e.product and s.session_id = e.session_id
  left join modes as m
    on m.product = e.product
    and m.session_id = e.session_id
    and e.autonomy is null
    and e.ts >= m.starts_at
    and e.ts < m.ends_at
  where
    e.kind = 'tool_call'
    and coalesce(e.decision, '') <> 'reject'
  group by
    coalesce(s.user_id, e.user_id),
    e.product,
    e.repo,
    e.team,
    coalesce(e.autonomy, m.autonomy, 'unknown')
)
select slice, autonomy, calls, mcp_calls
from calls
inner join slices using (user_id, product, repo, team)
