-- Those that an earlier tool call of the session had to do with: they existed, and were edited.
select distinct c.event_id_hi, c.event_id_lo
from creations as c
inner join counted as e
  on e.product = c.product
  and e.session_id = c.session_id
  and e.file_path_hash = c.file_path_hash
where
  e.kind = 'tool_call'
  and coalesce(e.decision, '') <> 'reject'
  and e.ts < c.ts
  and (e.tool_call_id is null or c.tool_call_id is null or e.tool_call_id <> c.tool_call_id)
