-- Of the model calls that were counted, how many have an exact output; agents without any lower
-- bound are left out.
select
  product,
  'counted' as source,
  'exact_outputs' as figure,
  count(*) as sessions,
  cast(sum(case when bounds > 0 then 1 else 0 end) as bigint) as differing,
  cast(sum(calls - bounds) as bigint) as told,
  cast(sum(calls) as bigint) as counted,
  cast(sum(bounds) as bigint) as difference,
  cast(sum(bounds) as bigint) as flagged
from (
  select
    product,
    session_id,
    count(*) as calls,
    sum(case when is_lower_bound then 1 else 0 end) as bounds
  from counted
  where kind = 'model_call' and not is_aggregate
  group by product, session_id
) as sessions_of_day
group by product
having sum(bounds) > 0
