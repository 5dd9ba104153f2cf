-- The events of each day without those of its first {minutes_ms} ms that the day before has
-- already.
select a.*
from arrived as a
where
  a.ts % 86400000 >= {minutes_ms}
  or not exists (
    select 1
    from seen_before as s
    where s.event_id_hi = a.event_id_hi and s.event_id_lo = a.event_id_lo
  )
