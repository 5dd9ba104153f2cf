-- What was seen of every session by user, repository and team, as bits of one number, and since
-- when. Six bits for every
-- family, of which bit n stands for source group n: tokens from bit 0, tools 6, conversation 12,
-- files 18, git 24, skills 30, commands 36, hooks 42. Bit 48: a person wrote; 49: a model or a
-- tool worked; 50: marked as the agent's own helper; 51 to 53: the client was a terminal, the web,
-- a script.
select
  product,
  session_id,
  is_loose,
  user_id,
  repo,
  team,
  min(ts) as since,
  bit_or(
    (
      case kind
        when 'model_call' then cast(1 as bigint)
        when 'tool_call' then 64
        when 'user_message' then 4096
        when 'assistant_message' then 4096
        when 'file_change' then 262144
        when 'git_commit' then 16777216
        when 'git_pull_request' then 16777216
        when 'skill' then 1073741824
        when 'slash_command' then 68719476736
        when 'hook' then 4398046511104
        else 0
      end << source_group
    )
    | case
      when kind = 'model_call' then cast(562949953421312 as bigint)
      when kind = 'tool_call' and (decision is null or decision <> 'reject') then 562949953421312
      when kind = 'user_message' and not is_auxiliary then 281474976710656
      when kind = 'session_context' and is_auxiliary then 1125899906842624
      else 0
    end
    | case client
      when 'terminal-ui' then cast(2251799813685248 as bigint)
      when 'web' then 4503599627370496
      when 'non-interactive-cli' then 9007199254740992
      else 0
    end
  ) as seen
from counted
group by product, session_id, is_loose, user_id, repo, team
