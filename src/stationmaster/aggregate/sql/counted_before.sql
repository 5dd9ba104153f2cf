-- Events without the units that lose: another source reports more of those minutes without them, so
-- that they may not count on the day before either.
select e.event_id_hi, e.event_id_lo
from events as e
left join matched as m on m.event_id_hi = e.event_id_hi and m.event_id_lo = e.event_id_lo
left join left_out_units as x
  on x.event_id_hi = coalesce(m.unit_hi, e.event_id_hi)
  and x.event_id_lo = coalesce(m.unit_lo, e.event_id_lo)
where x.event_id_hi is null
