-- One row per session: its number, whose it is, its client, and whether it counts as a session. A
-- session of model calls alone is none next to one with a prompt of the same person and agent: a
-- process that resumes a session names one of its own until it has loaded it.
with united as (
  select
    product,
    session_id,
    is_loose,
    min(user_id) as only_user,
    min(user_id) <> max(user_id) as has_several_users,
    bit_or(activity) as activity
  from session_activity
  group by product, session_id, is_loose
),
known as (
  select
    t.product,
    t.session_id,
    t.is_loose,
    coalesce(u.user_id, t.only_user) as user_id,
    coalesce(
      c.client,
      case (t.activity >> 4) & 7 when 2 then 'web' when 4 then 'non-interactive-cli' else 'terminal-ui' end
    ) as client,
    t.has_several_users,
    t.activity,
    (t.activity & 8) <> 0 as is_auxiliary
  from united as t
  left join session_users as u on u.product = t.product and u.session_id = t.session_id
  left join session_clients as c on c.product = t.product and c.session_id = t.session_id
),
accompanied as (
  select
    *,
    max(case when is_loose then 0 else activity & 1 end) over (partition by product, user_id) = 1
      as has_prompts
  from known
)
select
  product,
  session_id,
  is_loose,
  cast(row_number() over (order by product, session_id, is_loose) as int) as number,
  user_id,
  client,
  is_auxiliary,
  not is_loose
  and not is_auxiliary
  and (
    (activity & 3) <> 0
    or (activity & 132) = 128
    or ((activity & 4) <> 0 and not has_prompts)
  ) as is_active,
  is_loose or is_auxiliary or has_several_users as is_irregular
from accompanied
