-- From when to when a session was in which approval mode; of changes at one time the
-- best source's counts. Nothing is known before the first change of the day.
with changes as (
  select
    product,
    session_id,
    ts,
    autonomy,
    row_number() over (
      partition by product, session_id, ts order by source_rank, autonomy nulls last
    ) as place
  from counted
  where kind = 'mode_change'
)
select
  product,
  session_id,
  autonomy,
  ts as starts_at,
  coalesce(lead(ts) over (partition by product, session_id order by ts), 9223372036854775807)
    as ends_at
from changes
where place = 1
