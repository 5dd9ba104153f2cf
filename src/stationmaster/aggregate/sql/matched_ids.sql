-- The events that count under the id of another one.
select event_id_hi, event_id_lo, unit_hi, unit_lo
from matched
where event_id_hi <> unit_hi or event_id_lo <> unit_lo
