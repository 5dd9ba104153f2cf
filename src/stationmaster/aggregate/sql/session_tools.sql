-- Tool calls of every session by tool: executed ones, those of them that failed, refused ones.
select
  product,
  session_id,
  coalesce(tool_raw, tool, 'unknown') as tool,
  cast(sum(case when decision = 'reject' then 0 else count end) as bigint) as calls,
  cast(
    sum(case when decision = 'reject' or coalesce(success, true) then 0 else count end) as bigint
  ) as failed,
  cast(sum(case when decision = 'reject' then count else 0 end) as bigint) as refused
from counted
where kind = 'tool_call' and not is_loose
group by product, session_id, coalesce(tool_raw, tool, 'unknown')
