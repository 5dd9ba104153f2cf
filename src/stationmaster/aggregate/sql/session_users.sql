-- Whose a session is where its events name several people: the best evidence decides.
with shared as (
  select product, session_id
  from session_activity
  group by product, session_id
  having min(user_id) <> max(user_id)
),
named as (
  select
    e.product,
    e.session_id,
    e.user_id,
    min(
      case e.user_source
        when 'credential' then 1
        when 'email' then 2
        when 'account' then 3
        when 'resource' then 4
        when 'git_config' then 5
        when 'installation' then 6
        when 'key' then 7
        else 8
      end
    ) as evidence
  from counted as e
  inner join shared as s on s.product = e.product and s.session_id = e.session_id
  group by e.product, e.session_id, e.user_id
),
ranked as (
  select
    product,
    session_id,
    user_id,
    row_number() over (partition by product, session_id order by evidence, user_id) as place
  from named
)
select product, session_id, user_id
from ranked
where place = 1
