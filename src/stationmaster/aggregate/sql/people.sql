-- What was done by slice, other than model and tool calls, files and pull requests.
select
  slice,
  cast(sum(case when is_helper then 0 else user_messages end) as bigint) as user_messages,
  cast(sum(case when is_helper then 0 else assistant_messages end) as bigint)
    as assistant_messages,
  cast(sum(skill_calls) as bigint) as skill_calls,
  cast(sum(slash_commands) as bigint) as slash_commands,
  cast(sum(hooks) as bigint) as hooks,
  cast(sum(git_commits) as bigint) as git_commits
from work
group by slice
having sum(events) > 0
