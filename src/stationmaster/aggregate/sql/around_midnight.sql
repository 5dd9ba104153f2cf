-- The events of sessions that span midnight, until the time `{until}`.
select {columns}
from arrived as e
inner join spanning as s on s.product = e.product and s.root_session_id = e.root_session_id
where e.ts < {until} and not e.is_aggregate
