-- The events of a day without those until the time `{until}` that the day before has already.
select a.*
from arrived as a
where
  a.ts >= {until}
  or not exists (
    select 1
    from seen_before as s
    where s.event_id_hi = a.event_id_hi and s.event_id_lo = a.event_id_lo
  )
