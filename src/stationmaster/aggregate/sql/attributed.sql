-- Every event with the person and the team it counts for, where some of `people` are known better
-- than by their events. Without any, the columns of the events are read as they are.
select
  e.*,
  coalesce(p.person_id, e.user_id) as person_id,
  coalesce(p.team, e.team) as person_team
from distinct_events as e
left join people as p on p.user_id = e.user_id
