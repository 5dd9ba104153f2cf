-- The events that may count: every event once, and its session. Events without a session are
-- gathered by user (`is_loose`), where counters stand last, in source group 5. `session_id` is the
-- top session of a tree from here on.
select
  event_id_hi,
  event_id_lo,
  kind,
  ts,
  product,
  source_rank,
  case
    when root_session_id is not null or session_id is not null
      then least(greatest(source_group, 1), 5)
    when is_aggregate then 5
    else least(greatest(source_group, 1), 4)
  end as source_group,
  coalesce(user_id, 'user_unknown') as user_id,
  user_source,
  coalesce(root_session_id, session_id, concat('user ', coalesce(user_id, 'user_unknown')))
    as session_id,
  root_session_id is null and session_id is null as is_loose,
  is_subagent,
  is_auxiliary,
  is_aggregate,
  client,
  autonomy,
  model,
  model_tier,
  input_tokens,
  output_tokens,
  cache_read_tokens,
  cache_write_tokens,
  tool,
  tool_raw,
  tool_kind,
  tool_call_id,
  mcp_server,
  success,
  decision,
  skill,
  slash_command,
  hook_event,
  hook_command,
  file_op,
  coalesce(quality like '%estimated%', false) as is_estimated,
  file_path_hash,
  file_ext,
  language,
  pr_url,
  count
from once
