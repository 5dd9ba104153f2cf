-- What every session did by user, repository and team, as bits of one number, and since when: 1 a
-- person wrote, 2 a tool ran, 4 a model was called, 8 marked as the agent's own helper; 16, 32 and 64
-- the client was a terminal, the web, a script; 128 sums show that a model was called. The times,
-- sources and installation are those of events that show that a session was at work; `sources` has
-- the bits of SOURCES in inputs/matching.py.
with marked as (
  select
    *,
    kind not in ('left_out', 'session_start', 'session_end', 'session_context', 'mode_change')
      as is_work
  from counted
)
select
  product,
  session_id,
  is_loose,
  user_id,
  repo,
  team,
  min(ts) as since,
  bit_or(
    case
      when kind = 'model_call' and is_aggregate then 128
      when kind = 'model_call' then 4
      when kind = 'tool_call' and (decision is null or decision <> 'reject') then 2
      when kind = 'user_message' and not is_auxiliary then 1
      when kind = 'session_context' and is_auxiliary then 8
      else 0
    end
    | case client when 'terminal-ui' then 16 when 'web' then 32 when 'non-interactive-cli' then 64 else 0 end
  ) as activity,
  min(case when is_work and not is_aggregate then ts end) as first_event,
  max(case when is_work and not is_aggregate then ts end) as last_event,
  min(case when is_work then ts end) as first_sum,
  max(case when is_work then ts end) as last_sum,
  bit_or(case when is_work then {source_bit} else 0 end) as sources,
  max(case when is_work then installation end) as installation
from marked
group by product, session_id, is_loose, user_id, repo, team
