-- The ids of all events that are one unit with an event that counts on the day before.
with units as (
  select distinct m.unit_hi, m.unit_lo
  from matched as m
  inner join counted_before as b
    on b.event_id_hi = m.event_id_hi and b.event_id_lo = m.event_id_lo
)
select distinct m.event_id_hi, m.event_id_lo
from matched as m
inner join units as u on u.unit_hi = m.unit_hi and u.unit_lo = m.unit_lo
