-- One row per session of what was seen of it. `seen` holds six bits for each family, of which bit
-- n stands for source group n: tokens 0, tools 6, conversation 12, files 18, git 24, skills 30,
-- commands 36, hooks 42. Bit 48: a person wrote; 49: a model or a tool worked; 50: the session
-- was marked as the agent's own helper.
with marks as (
  select
    product,
    session_id,
    is_loose,
    user_id,
    client,
    case kind
      when 'model_call' then 0
      when 'tool_call' then 6
      when 'user_message' then 12
      when 'assistant_message' then 12
      when 'file_change' then 18
      when 'git_commit' then 24
      when 'git_pull_request' then 24
      when 'skill' then 30
      when 'slash_command' then 36
      when 'hook' then 42
    end
    + source_group as family_bit,
    case
      when kind = 'user_message' and not is_auxiliary then 48
      when kind = 'model_call' then 49
      when kind = 'tool_call' and coalesce(decision, '') <> 'reject' then 49
      when kind = 'session_context' and is_auxiliary then 50
    end as sign_bit
  from counted
)
select
  product,
  session_id,
  is_loose,
  min(user_id) as first_user,
  max(user_id) as last_user,
  min(client) as first_client,
  max(client) as last_client,
  bit_or(
    case when family_bit is null then cast(0 as bigint) else cast(1 as bigint) << family_bit end
    | case when sign_bit is null then cast(0 as bigint) else cast(1 as bigint) << sign_bit end
  ) as seen
from marks
group by product, session_id, is_loose
