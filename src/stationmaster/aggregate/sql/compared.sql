-- One row for each session, source and figure that the source reports, beside what was counted.
-- Counters do not know which tool calls were refused: as many more than counted are no difference.
with pairs as (
  select
    t.*,
    c.model_calls as counted_model_calls,
    c.tokens as counted_tokens,
    c.output_tokens as counted_output_tokens,
    c.refused_calls,
    c.tool_calls as counted_tool_calls,
    c.messages as counted_messages,
    c.files as counted_files,
    c.commits as counted_commits
  from source_totals as t
  left join settled as c on c.product = t.product and c.session_id = t.session_id
),
figures as (
  select
    product,
    session_id,
    source,
    'model_calls' as figure,
    model_calls as told,
    coalesce(counted_model_calls, 0) as counted,
    0 as excused,
    has_flagged_calls as is_flagged
  from pairs
  where model_calls is not null
  union all
  select
    product,
    session_id,
    source,
    'tokens' as figure,
    tokens as told,
    coalesce(counted_tokens, 0) as counted,
    0 as excused,
    has_flagged_calls as is_flagged
  from pairs
  where tokens is not null
  union all
  select
    product,
    session_id,
    source,
    'output_tokens' as figure,
    output_tokens as told,
    coalesce(counted_output_tokens, 0) as counted,
    0 as excused,
    has_flagged_calls as is_flagged
  from pairs
  where output_tokens is not null
  union all
  select
    product,
    session_id,
    source,
    'tool_calls' as figure,
    tool_calls as told,
    coalesce(counted_tool_calls, 0) as counted,
    coalesce(refused_calls, 0) as excused,
    0 as is_flagged
  from pairs
  where tool_calls is not null
  union all
  select
    product,
    session_id,
    source,
    'messages' as figure,
    messages as told,
    coalesce(counted_messages, 0) as counted,
    0 as excused,
    0 as is_flagged
  from pairs
  where messages is not null
  union all
  select
    product,
    session_id,
    source,
    'files' as figure,
    files as told,
    coalesce(counted_files, 0) as counted,
    0 as excused,
    has_flagged_files as is_flagged
  from pairs
  where files is not null
  union all
  select
    product,
    session_id,
    source,
    'commits' as figure,
    commits as told,
    coalesce(counted_commits, 0) as counted,
    0 as excused,
    0 as is_flagged
  from pairs
  where commits is not null
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
from figures
