-- How far each source is from what was counted, over all sessions.
select
  product,
  source,
  figure,
  count(*) as sessions,
  cast(sum(case when difference <> 0 then 1 else 0 end) as bigint) as differing,
  cast(sum(told) as bigint) as told,
  cast(sum(counted) as bigint) as counted,
  cast(sum(difference) as bigint) as difference,
  cast(sum(case when is_flagged = 1 then difference else 0 end) as bigint) as flagged
from compared
group by product, source, figure
