-- Totals that each source reports of those sessions, whatever the others report; null where it
-- never does. The agent's own work (titles, summaries) is left out: only exports report it.
-- `flagged` figures are those that the source itself marks as estimates or too low.
with copies as (
  select
    e.product,
    e.root_session_id as session_id,
    e.source,
    e.kind,
    e.is_aggregate,
    e.decision,
    e.success,
    e.file_op,
    e.count,
    e.quality,
    coalesce(e.input_tokens, 0)
    + coalesce(e.output_tokens, 0)
    + coalesce(e.cache_read_tokens, 0)
    + coalesce(e.cache_write_tokens, 0) as tokens,
    e.output_tokens,
    case
      when r.event_id_hi is null then 1
      else
        row_number() over (
          partition by e.event_id_hi, e.event_id_lo, e.source, e.product, e.root_session_id
          order by
            coalesce(e.output_tokens, 0) desc,
            coalesce(e.input_tokens, 0)
            + coalesce(e.cache_read_tokens, 0)
            + coalesce(e.cache_write_tokens, 0) desc,
            e.count desc,
            e.kind,
            e.decision nulls last,
            e.success nulls last,
            e.file_op nulls last,
            e.is_aggregate,
            e.quality nulls last
        )
    end as place
  from events as e
  inner join multi_source_sessions as s on s.product = e.product and s.session_id = e.root_session_id
  left join repeated as r on r.event_id_hi = e.event_id_hi
  where not e.is_auxiliary
)
select
  product,
  session_id,
  source,
  sum(case when kind = 'model_call' and not is_aggregate then 1 end) as model_calls,
  sum(case when kind = 'model_call' then tokens end) as tokens,
  sum(case when kind = 'model_call' then output_tokens end) as output_tokens,
  sum(case when kind = 'tool_call' and coalesce(decision, '') <> 'reject' then count end)
    as tool_calls,
  sum(case when kind = 'user_message' then count end) as messages,
  sum(
    case
      when kind = 'file_change' and file_op in ('created', 'edited') and coalesce(success, true)
        then count
    end
  ) as files,
  sum(case when kind = 'git_commit' and coalesce(success, true) then count end) as commits,
  max(
    case
      when
        kind = 'model_call'
        and (
          quality like '%output_lower_bound%'
          or quality like '%estimated%'
          or quality like '%spread%'
        )
        then 1
      else 0
    end
  ) as has_flagged_calls,
  max(case when kind = 'file_change' and quality like '%estimated%' then 1 else 0 end)
    as has_flagged_files
from copies
where place = 1
group by product, session_id, source
