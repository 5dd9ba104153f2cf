-- What was done in every session, by slice, other than model and tool calls and pull requests.
-- Messages of an agent's own calls do not count, those of its own sessions for the session alone.
-- `events` are those that count in the slice.
select
  slice,
  session,
  is_loose,
  is_helper,
  sum(
    case
      when kind in ('user_message', 'assistant_message') and (is_auxiliary or is_helper) then 0
      when kind in ('skill', 'git_commit') and not coalesce(success, true) then 0
      when kind in ('model_error', 'file_change') then 0
      else 1
    end
  ) as events,
  sum(case when kind = 'user_message' and not is_auxiliary then count else 0 end) as user_messages,
  sum(case when kind = 'assistant_message' and not is_auxiliary then count else 0 end)
    as assistant_messages,
  sum(case when kind = 'skill' and coalesce(success, true) then count else 0 end) as skill_calls,
  sum(case when kind = 'slash_command' then count else 0 end) as slash_commands,
  sum(case when kind = 'hook' then count else 0 end) as hooks,
  sum(case when kind = 'git_commit' and coalesce(success, true) then count else 0 end)
    as git_commits,
  sum(case when kind = 'model_error' then count else 0 end) as model_errors,
  sum(
    case
      when kind = 'file_change' and file_op in ('created', 'edited') and coalesce(success, true)
        then count
      else 0
    end
  ) as files_changed,
  sum(case when kind = 'file_change' and coalesce(success, true) then lines_added end)
    as lines_added,
  sum(case when kind = 'file_change' and coalesce(success, true) then lines_removed end)
    as lines_removed
from other_events
where kind <> 'git_pull_request'
group by slice, session, is_loose, is_helper
