-- The events that may count, with what the queries need of them. `session_id` is the top session
-- of a tree from here on. Counters without a session stand last, in source group 5.
select
  event_id_hi,
  event_id_lo,
  kind,
  ts,
  product,
  source_rank,
  case
    when not is_loose then least(greatest(source_group, 1), 5)
    when is_aggregate then 5
    else least(greatest(source_group, 1), 4)
  end as source_group,
  known_user as user_id,
  user_source,
  top_session as session_id,
  is_loose,
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
  hook_matcher,
  hook_command,
  file_op,
  coalesce(quality like '%estimated%', false) as is_estimated,
  file_path_hash,
  file_ext,
  language,
  pr_url,
  count
from placed
