-- What a day is cut into: everything of one user, agent, repository and team. Their numbers are
-- those of their order.
with found as (
  select distinct coalesce(s.user_id, e.user_id) as user_id, e.product, e.repo, e.team
  from session_activity as e
  left join irregular_sessions as s on s.product = e.product and s.session_id = e.session_id
)
select
  cast(row_number() over (order by user_id, product, repo, team) - 1 as int) as slice,
  user_id,
  product,
  repo,
  team
from found
