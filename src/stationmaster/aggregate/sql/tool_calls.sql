-- Every tool call with what the queries about tools need of it, under the numbers of tool_names.sql.
-- The call of a tool that edits has a `language` and an `hour`. A duration of 2^(n/4) ms or more and
-- less than 2^((n+1)/4) is in bucket n + 1; 0 is less than a millisecond, and null is unknown. A call
-- that does not name its autonomy level has the one that its session was in at that time.
with calls as (
  select
    e.slice,
    e.session,
    e.is_loose,
    n.number,
    n.tool_number,
    n.mcp_server is not null as is_mcp,
    coalesce(e.autonomy, m.autonomy, 'unknown') as autonomy,
    coalesce(e.decision, '') = 'accept' as is_accepted,
    e.decision is null as is_undecided,
    coalesce(e.decision, '') = 'reject' as is_refused,
    coalesce(e.decision, '') <> 'reject' and not coalesce(e.success, true) as is_failed,
    case
      when coalesce(e.decision, '') = 'reject' then null
      when e.duration_ms > 134217728 then 134217728
      else e.duration_ms
    end as duration_ms,
    case when e.tool in ('edit', 'write') then coalesce(e.language, '') end as language,
    case when e.tool in ('edit', 'write') then cast(floor((e.ts % 86400000) / 3600000) as int) end
      as hour,
    e.count
  from sliced as e
  inner join tool_names as n
    on n.tool = coalesce(e.tool_raw, e.tool, 'unknown')
    and n.mcp_server is not distinct from
    case when e.tool_kind = 'mcp' then coalesce(e.mcp_server, 'unknown') end
  left join modes as m
    on m.product = e.product
    and m.session_id = e.session_id
    and e.autonomy is null
    and e.ts >= m.starts_at
    and e.ts < m.ends_at
  where e.kind = 'tool_call'
)
select
  *,
  case
    when duration_ms < 1 then 0
    -- The small part makes up for what an engine's logarithm of a power of two may lack.
    else 1 + cast(floor(4 * log2(duration_ms) + 1e-10) as int)
  end as bucket
from calls
