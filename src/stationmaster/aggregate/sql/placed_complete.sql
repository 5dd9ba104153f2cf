-- Every event with its session, where none lacks one. Plain columns are read several times faster.
select e.*, e.root_session_id as top_session, false as is_loose, e.user_id as known_user
from once as e
