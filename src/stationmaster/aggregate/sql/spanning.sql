-- The sessions of several sources that have events both in the last minutes of the day before and
-- in the first ones of the day, until the time `{until}`.
with sources as (
  select product, root_session_id, source, 0 as is_early
  from late_sources
  where not is_aggregate
  union all
  select product, root_session_id, source, 1 as is_early
  from arrived
  where ts < {until} and not is_aggregate
)
select product, root_session_id
from sources
where root_session_id is not null
group by product, root_session_id
having min(is_early) <> max(is_early) and min(source) <> max(source)
