-- Is there any event without a session or a user?
select event_id_hi
from once
where root_session_id is null or user_id is null
limit 1
