-- What may have to be matched or weighed of each agent: looking at every session costs far more.
select
  product,
  min(source) <> max(source) as has_several,
  max(case when is_aggregate then 1 else 0 end) = 1 as has_counters
from events
group by product
