-- What was counted of the same sessions, in the same figures.
select
  e.product,
  e.session_id,
  sum(
    case
      when
        e.kind = 'model_call'
        and not e.is_aggregate
        then 1
      else 0
    end
  ) as model_calls,
  sum(
    case
      when e.kind = 'model_call'
        then
          coalesce(e.input_tokens, 0)
          + coalesce(e.output_tokens, 0)
          + coalesce(e.cache_read_tokens, 0)
          + coalesce(e.cache_write_tokens, 0)
      else 0
    end
  ) as tokens,
  sum(case when e.kind = 'model_call' then coalesce(e.output_tokens, 0) else 0 end)
    as output_tokens,
  sum(case when e.kind = 'tool_call' and e.decision = 'reject' then e.count else 0 end)
    as refused_calls,
  sum(
    case
      when
        e.kind = 'tool_call'
        and coalesce(e.decision, '') <> 'reject'
        then e.count
      else 0
    end
  ) as tool_calls,
  sum(
    case
      when
        e.kind = 'user_message'
        then e.count
      else 0
    end
  ) as messages,
  sum(
    case
      when
        e.kind = 'file_change'
        and e.file_op in ('created', 'edited')
        and coalesce(e.success, true)
        then e.count
      else 0
    end
  ) as files,
  sum(
    case
      when
        e.kind = 'git_commit'
        and coalesce(e.success, true)
        then e.count
      else 0
    end
  ) as commits
from counted as e
inner join multi_source_sessions as s on s.product = e.product and s.session_id = e.session_id
where not e.is_auxiliary and not e.is_loose
group by e.product, e.session_id
