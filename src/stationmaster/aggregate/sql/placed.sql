-- Every event with its session, where some have none: those are gathered by user (`is_loose`).
select
  e.*,
  coalesce(e.root_session_id, concat('user ', coalesce(e.person_id, 'user_unknown'))) as top_session,
  e.root_session_id is null as is_loose,
  coalesce(e.person_id, 'user_unknown') as known_user,
  e.person_team as known_team
from attributed as e
