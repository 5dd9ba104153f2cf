-- Files reported as created by a source that cannot distinguish creating from replacing.
select product, session_id, file_path_hash, event_id_hi, event_id_lo, ts, tool_call_id
from counted
where kind = 'file_change' and file_op = 'created' and is_estimated and file_path_hash is not null
