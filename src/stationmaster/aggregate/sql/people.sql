-- What was done by slice besides model and tool calls, files and pull requests.
with sums as (
  select
    coalesce(s.user_id, e.user_id) as user_id,
    e.product,
    e.repo,
    e.team,
    cast(sum(case when e.kind = 'user_message' then e.count else 0 end) as bigint) as user_messages,
    cast(sum(case when e.kind = 'assistant_message' then e.count else 0 end) as bigint) as assistant_messages,
    cast(sum(case when e.kind = 'skill' then e.count else 0 end) as bigint) as skill_calls,
    cast(sum(case when e.kind = 'slash_command' then e.count else 0 end) as bigint) as slash_commands,
    cast(sum(case when e.kind = 'hook' then e.count else 0 end) as bigint) as hooks,
    cast(sum(case when e.kind = 'git_commit' then e.count else 0 end) as bigint) as git_commits
  from counted as e
  left join irregular as s on s.product = e.product and s.session_id = e.session_id
  where
    (
      e.kind in ('user_message', 'assistant_message')
      and not e.is_auxiliary
      and not coalesce(s.is_auxiliary, false)
    )
    or (
      e.kind = 'skill'
      and coalesce(e.success, true)
    )
    or e.kind = 'slash_command'
    or e.kind = 'hook'
    or (
      e.kind = 'git_commit'
      and coalesce(e.success, true)
    )
  group by coalesce(s.user_id, e.user_id), e.product, e.repo, e.team
)
select
  slice,
  user_messages,
  assistant_messages,
  skill_calls,
  slash_commands,
  hooks,
  git_commits
from sums
inner join slices using (user_id, product, repo, team)
