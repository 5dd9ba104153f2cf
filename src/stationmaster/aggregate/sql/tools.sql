-- Tool calls by slice, name, MCP server and duration: executed ones, those of them that failed, and
-- refused ones. A duration of 2^(n/4) ms or more and less than 2^((n+1)/4) is in bucket n + 1; 0 is
-- less than a millisecond, and null is unknown.
with calls as (
  select
    coalesce(s.user_id, e.user_id) as user_id,
    e.product,
    e.repo,
    e.team,
    coalesce(e.tool_raw, e.tool, 'unknown') as tool,
    case when e.tool_kind = 'mcp' then coalesce(e.mcp_server, 'unknown') end as mcp_server,
    coalesce(e.decision, '') = 'reject' as is_refused,
    case
      when coalesce(e.decision, '') = 'reject' then null
      when e.duration_ms > 134217728 then 134217728
      else e.duration_ms
    end as duration_ms,
    e.success,
    e.count
  from counted as e
  left join irregular as s on s.product = e.product and s.session_id = e.session_id
  where e.kind = 'tool_call'
),
measured as (
  select
    user_id,
    product,
    repo,
    team,
    tool,
    mcp_server,
    case
      when duration_ms < 1 then 0
      -- The small part makes up for what an engine's logarithm of a power of two may lack.
      else 1 + cast(floor(4 * log2(duration_ms) + 1e-10) as int)
    end as bucket,
    cast(sum(case when is_refused then 0 else count end) as bigint) as calls,
    cast(sum(case when is_refused or coalesce(success, true) then 0 else count end) as bigint)
      as failed,
    cast(sum(case when is_refused then count else 0 end) as bigint) as refused,
    cast(max(coalesce(duration_ms, 0)) as bigint) as longest_ms
  from calls
  group by
    user_id,
    product,
    repo,
    team,
    tool,
    mcp_server,
    case
      when duration_ms < 1 then 0
      else 1 + cast(floor(4 * log2(duration_ms) + 1e-10) as int)
    end
)
select slice, tool, mcp_server, bucket, calls, failed, refused, longest_ms
from measured
inner join slices using (user_id, product, repo, team)
