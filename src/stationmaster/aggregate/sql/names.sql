-- By slice: skills and slash commands by name, hooks by event, matcher and command, of these also
-- how many are reported to have succeeded or failed. Skills count unless they failed.
with calls as (
  select
    slice,
    kind,
    coalesce(skill, slash_command, hook_event, 'unknown') as name,
    case when kind = 'hook' then coalesce(hook_matcher, '') else '' end as matcher,
    case when kind = 'hook' then coalesce(hook_command, '') else '' end as command,
    case when kind = 'hook' then success end as success,
    count
  from other_events
  where (kind = 'skill' and coalesce(success, true)) or kind = 'slash_command' or kind = 'hook'
)
select
  slice,
  kind,
  name,
  matcher,
  command,
  cast(sum(count) as bigint) as calls,
  cast(sum(case when success then count else 0 end) as bigint) as succeeded,
  cast(sum(case when not success then count else 0 end) as bigint) as failed
from calls
group by slice, kind, name, matcher, command
