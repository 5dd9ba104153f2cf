-- The sessions with a message, a tool call or a model call and their client, in every slice that
-- had one of those (135 = 1 | 2 | 4 | 128 of session_activity.sql); `is_first` in its first one.
with found as (
  select s.product, s.session_id, s.client, s.user_id, e.repo, e.team, min(e.since) as since
  from session_activity as e
  inner join sessions as s on s.product = e.product and s.session_id = e.session_id
  where s.is_active and not e.is_loose and (e.activity & 135) <> 0
  group by s.product, s.session_id, s.client, s.user_id, e.repo, e.team
)
select
  slice,
  concat(product, '/', session_id) as session_id,
  client,
  row_number() over (partition by product, session_id order by since, repo, team) = 1 as is_first
from found
inner join slices using (user_id, product, repo, team)
