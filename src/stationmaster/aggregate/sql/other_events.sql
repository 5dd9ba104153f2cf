-- The events other than calls of models and tools that may count, with what the queries about them
-- need: they are few, and read once here instead of by each.
select
  event_id_hi,
  event_id_lo,
  kind,
  ts,
  product,
  session_id,
  slice,
  session,
  is_loose,
  is_helper,
  is_auxiliary,
  model,
  error_class,
  success,
  skill,
  slash_command,
  hook_event,
  hook_matcher,
  hook_command,
  file_op,
  file_ext,
  language,
  lines_added,
  lines_removed,
  branch,
  pr_url,
  count
from sliced
where
  kind in (
    'user_message',
    'assistant_message',
    'skill',
    'slash_command',
    'hook',
    'git_commit',
    'git_pull_request',
    'model_error',
    'file_change'
  )
