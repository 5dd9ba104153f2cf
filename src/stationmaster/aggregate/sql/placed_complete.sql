-- Every event with its session, where none lacks one. Plain columns are read several times faster.
select
  e.*,
  e.root_session_id as top_session,
  false as is_loose,
  e.person_id as known_user,
  e.person_team as known_team
from attributed as e
