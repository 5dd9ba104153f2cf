-- The events of sessions that span midnight, of the first {minutes_ms} ms of their day.
select {columns}
from arrived as e
inner join spanning as s on s.product = e.product and s.root_session_id = e.root_session_id
where e.ts % 86400000 < {minutes_ms} and not e.is_aggregate
