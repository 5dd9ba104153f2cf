-- The ids of the events of the first {minutes_ms} ms of each day.
select event_id_hi, event_id_lo, product
from arrived
where ts % 86400000 < {minutes_ms}
