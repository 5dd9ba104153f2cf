-- Every event with the id that it counts under, where some were matched.
select
  e.*,
  coalesce(m.unit_hi, e.event_id_hi) as id_hi,
  coalesce(m.unit_lo, e.event_id_lo) as id_lo
from events as e
left join matched_ids as m on m.event_id_hi = e.event_id_hi and m.event_id_lo = e.event_id_lo
