-- Where the events of every session count: its number, and the slice of each user, repository and
-- team that its events name. `is_helper`: the session is an agent's own.
select
  e.product,
  e.session_id,
  e.is_loose,
  e.user_id,
  e.repo,
  e.team,
  s.number as session,
  n.slice,
  coalesce(i.is_auxiliary, false) as is_helper
from session_activity as e
inner join sessions as s
  on s.product = e.product and s.session_id = e.session_id and s.is_loose = e.is_loose
left join irregular_sessions as i on i.product = e.product and i.session_id = e.session_id
inner join slices as n
  on n.user_id = coalesce(i.user_id, e.user_id)
  and n.product = e.product
  and n.repo = e.repo
  and n.team = e.team
