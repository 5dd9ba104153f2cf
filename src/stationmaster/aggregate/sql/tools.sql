-- Tool calls by slice, number of tool_names.sql and duration, in this order: executed ones, those of
-- them that failed, and refused ones.
select
  slice,
  number,
  bucket,
  cast(sum(case when is_refused then 0 else count end) as bigint) as calls,
  cast(sum(case when is_failed then count else 0 end) as bigint) as failed,
  cast(sum(case when is_refused then count else 0 end) as bigint) as refused,
  cast(max(coalesce(duration_ms, 0)) as bigint) as longest_ms
from tool_calls
group by slice, number, bucket
order by slice, number, bucket nulls last
