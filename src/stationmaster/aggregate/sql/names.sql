-- By slice: skills and slash commands by name, hooks by event, matcher and command. Skills count
-- unless they failed.
with calls as (
  select
    coalesce(s.user_id, e.user_id) as user_id,
    e.product,
    e.repo,
    e.team,
    e.kind,
    coalesce(e.skill, e.slash_command, e.hook_event, 'unknown') as name,
    case when e.kind = 'hook' then coalesce(e.hook_matcher, '') else '' end as matcher,
    case when e.kind = 'hook' then coalesce(e.hook_command, '') else '' end as command,
    cast(sum(e.count) as bigint) as calls
  from counted as e
  left join irregular as s on s.product = e.product and s.session_id = e.session_id
  where
    (
      e.kind = 'skill'
      and coalesce(e.success, true)
    )
    or e.kind = 'slash_command'
    or e.kind = 'hook'
  group by
    coalesce(s.user_id, e.user_id),
    e.product,
    e.repo,
    e.team,
    e.kind,
    coalesce(e.skill, e.slash_command, e.hook_event, 'unknown'),
    case when e.kind = 'hook' then coalesce(e.hook_matcher, '') else '' end,
    case when e.kind = 'hook' then coalesce(e.hook_command, '') else '' end
)
select slice, kind, name, matcher, command, calls
from calls
inner join slices using (user_id, product, repo, team)
