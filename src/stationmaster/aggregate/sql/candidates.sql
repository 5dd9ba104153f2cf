-- The events of incomplete sessions and families, one row for each id, with what they are matched
-- and weighed by. `sources` are the bits of those that reported it under this id; `own_id` is a
-- name that its agent gave it: two of those are two events.
select
  c.number,
  c.family,
  e.kind,
  e.event_id_hi,
  e.event_id_lo,
  bit_or(b.bit) as sources,
  min(e.source) <> max(e.source) and min(e.source_group) = max(e.source_group) as is_shared,
  min(e.source_group) as source_group,
  min(e.source_rank) as source_rank,
  min_by(e.ts, e.source_rank * cast(100000000000000 as bigint) + e.ts) as ts,
  max(case when e.ts_source = 'file_time' then 1 else 0 end) as untimed,
  max(case when e.is_auxiliary then 1 else 0 end) as auxiliary,
  max(case when e.decision = 'reject' then 1 else 0 end) as refused,
  max(case when e.success then 1 when not e.success then 0 end) as succeeded,
  max(
    case
      when
        e.kind in ('file_change', 'git_commit', 'git_pull_request', 'skill')
        and not coalesce(e.success, true)
        then 0
      else e.count
    end
  ) as amount,
  min(
    case e.kind
      when 'model_call' then e.model
      when 'tool_call' then lower(coalesce(e.tool_raw, e.tool))
      when 'file_change' then e.file_path_hash
      when 'skill' then e.skill
      when 'slash_command' then e.slash_command
      when 'hook' then e.hook_event
      when 'git_pull_request' then e.pr_url
      when 'model_error' then e.error_class
    end
  ) as name,
  min(case when e.kind = 'user_message' then e.turn_id else e.tool_call_id end) as own_id,
  max(coalesce(e.input_tokens, 0)) as input_tokens,
  max(coalesce(e.output_tokens, 0)) as output_tokens,
  max(coalesce(e.cache_read_tokens, 0)) as cache_read_tokens,
  max(coalesce(e.cache_write_tokens, 0)) as cache_write_tokens,
  max(
    coalesce(e.input_tokens, 0)
    + coalesce(e.cache_read_tokens, 0)
    + coalesce(e.cache_write_tokens, 0)
  ) as prompt_tokens
from events as e
inner join incomplete_families as c
  on c.product = e.product and c.session_id = e.root_session_id 
  and c.family = case when e.kind = 'slash_command' then 'user_message' else e.kind end
inner join source_bits as b on b.source = e.source
where not e.is_aggregate
group by c.number, c.family, e.kind, e.event_id_hi, e.event_id_lo
