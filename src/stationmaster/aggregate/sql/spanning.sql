-- The sessions of several sources that have events both in the last minutes of the day before and
-- in the first {minutes_ms} ms of the day.
with sources as (
  select product, root_session_id, source, 0 as is_early
  from late_sources
  where not is_aggregate
  union all
  select product, root_session_id, source, 1 as is_early
  from arrived
  where ts % 86400000 < {minutes_ms} and not is_aggregate
)
select product, root_session_id
from sources
where root_session_id is not null
group by product, root_session_id
having min(is_early) <> max(is_early) and min(source) <> max(source)
