-- One row for each session, source and figure that the source reports, with what was counted.
-- Counters do not know which tool calls were refused: as many more than counted are no difference.
with names as (
  select 'model_calls' as figure union all select 'tokens' union all select 'output_tokens'
  union all select 'tool_calls' union all select 'messages' union all select 'files'
  union all select 'commits'
),
figures as (
  select
    p.product,
    p.session_id,
    p.source,
    n.figure,
    case n.figure
      when 'model_calls' then p.model_calls
      when 'tokens' then p.tokens
      when 'output_tokens' then p.output_tokens
      when 'tool_calls' then p.tool_calls
      when 'messages' then p.messages
      when 'files' then p.files
      else p.commits
    end as told,
    case n.figure
      when 'model_calls' then c.model_calls
      when 'tokens' then c.tokens
      when 'output_tokens' then c.output_tokens
      when 'tool_calls' then c.tool_calls
      when 'messages' then c.messages
      when 'files' then c.files
      else c.commits
    end as known,
    case when n.figure = 'tool_calls' then coalesce(c.refused_calls, 0) else 0 end as excused,
    case
      when n.figure in ('model_calls', 'tokens', 'output_tokens') then p.has_flagged_calls
      when n.figure = 'files' then p.has_flagged_files
      else 0
    end as is_flagged
  from source_totals as p
  cross join names as n
  left join counted_totals as c on c.product = p.product and c.session_id = p.session_id
),
pairs as (
  select *, coalesce(known, 0) as counted
  from figures
  where told is not null
)
select
  product,
  session_id,
  source,
  figure,
  cast(told as bigint) as told,
  cast(counted as bigint) as counted,
  cast(
    case
      when told > counted + excused then told - counted - excused
      when told > counted then 0
      else counted - told
    end as bigint
  ) as difference,
  is_flagged
from pairs
