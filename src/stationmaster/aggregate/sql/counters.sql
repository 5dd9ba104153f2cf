-- What is left of the events of counters next to others of their session and kind: what exceeds the
-- others, of which estimates of tokens are none. Nothing is left of what is not tokens and has no
-- session; of the first minutes of a day, which report the day before; and of running sums next to
-- other exports of the same process, since those report it on its own day. Tokens and tools are
-- compared name by name and in total, since sources may name them differently; hooks event by
-- event. Of several sources of counters only the one that reports most is left.
with counters as (
  select
    event_id_hi,
    event_id_lo,
    concat(product, '/', top_session, '/', kind, '/', case when kind = 'hook' then hook_event else '' end)
      as place,
    product,
    top_session,
    is_loose,
    known_user,
    kind,
    case kind
      when 'model_call' then coalesce(model, '')
      when 'tool_call' then lower(coalesce(tool_raw, tool, ''))
      else ''
    end as name,
    ts,
    source_group,
    (is_loose and kind <> 'model_call') or ts % 86400000 < 900000 as is_whole,
    coalesce(quality like '%spread%', false) as is_sum,
    coalesce(input_tokens, 0) as input_tokens,
    coalesce(output_tokens, 0) as output_tokens,
    coalesce(cache_read_tokens, 0) as cache_read_tokens,
    coalesce(cache_write_tokens, 0) as cache_write_tokens,
    count as amount
  from eligible
  where
    is_aggregate
    and kind not in ('session_start', 'session_end', 'mode_change', 'session_context')
),
sources as (
  select
    place,
    source_group,
    row_number() over (
      partition by place
      order by
        sum(input_tokens + output_tokens + cache_read_tokens + cache_write_tokens) desc,
        sum(amount) desc,
        source_group
    ) as choice
  from counters
  group by place, source_group
),
others as (
  select
    concat(
      p.product, '/', p.top_session, '/', p.kind, '/',
      case when p.kind = 'hook' then e.hook_event else '' end
    ) as place,
    case p.kind
      when 'model_call' then coalesce(e.model, '')
      when 'tool_call' then lower(coalesce(e.tool_raw, e.tool, ''))
      else ''
    end as name,
    case when e.quality like '%estimated%' then 0 else e.input_tokens end as input_tokens,
    case when e.quality like '%estimated%' then 0 else e.output_tokens end as output_tokens,
    case when e.quality like '%estimated%' then 0 else e.cache_read_tokens end as cache_read_tokens,
    case when e.quality like '%estimated%' then 0 else e.cache_write_tokens end as cache_write_tokens,
    e.count as amount
  from eligible as e
  inner join (select distinct product, top_session, is_loose, known_user, kind from counters) as p
    on p.product = e.product
    and p.kind = e.its_kind
    and (
      (p.top_session = e.top_session and not e.is_aggregate)
      or (p.is_loose and not e.is_loose and p.known_user = e.known_user)
    )
),
exported as (
  select distinct
    product,
    coalesce(root_session_id, '') as session_id,
    coalesce(user_id, 'user_unknown') as user_id,
    kind
  from events
  where
    source in ('otlp_logs', 'otlp_traces')
    and not is_aggregate
    and not coalesce(quality like '%estimated%', false)
),
exporting as (
  select distinct c.event_id_hi, c.event_id_lo
  from counters as c
  inner join exported as x
    on x.product = c.product
    and x.kind = c.kind
    and ((c.is_loose and x.user_id = c.known_user) or x.session_id = c.top_session)
),
figures as (
  select 'input' as figure union all select 'output' union all select 'cache_read'
  union all select 'cache_write' union all select 'amount'
),
reported as (
  select
    c.event_id_hi,
    c.event_id_lo,
    c.place,
    c.name,
    c.ts,
    f.figure,
    case f.figure
      when 'input' then c.input_tokens
      when 'output' then c.output_tokens
      when 'cache_read' then c.cache_read_tokens
      when 'cache_write' then c.cache_write_tokens
      else c.amount
    end as value
  from counters as c
  inner join sources as s
    on s.place = c.place and s.source_group = c.source_group and s.choice = 1
  cross join figures as f
  left join exporting as x
    on x.event_id_hi = c.event_id_hi and x.event_id_lo = c.event_id_lo
  where not c.is_whole and not (c.is_sum and x.event_id_hi is not null)
),
known as (
  select
    o.place,
    o.name,
    f.figure,
    sum(
      case f.figure
        when 'input' then o.input_tokens
        when 'output' then o.output_tokens
        when 'cache_read' then o.cache_read_tokens
        when 'cache_write' then o.cache_write_tokens
        else o.amount
      end
    ) as value
  from others as o
  cross join figures as f
  group by o.place, o.name, f.figure
),
known_places as (
  select place, figure, sum(value) as value
  from known
  group by place, figure
),
named as (
  select
    t.*,
    greatest(
      0,
      least(
        t.value,
        sum(t.value) over (
          partition by t.place, t.name, t.figure order by t.ts, t.event_id_hi, t.event_id_lo
          rows between unbounded preceding and current row
        )
        - coalesce(k.value, 0)
      )
    ) as excess
  from reported as t
  left join known as k on k.place = t.place and k.name = t.name and k.figure = t.figure
),
capped as (
  select
    n.*,
    coalesce(k.value, 0) as others_value,
    sum(n.value) over (partition by n.place, n.figure) - coalesce(k.value, 0)
    - coalesce(
      sum(n.excess) over (
        partition by n.place, n.figure order by n.ts, n.event_id_hi, n.event_id_lo
        rows between unbounded preceding and 1 preceding
      ),
      0
    ) as room
  from named as n
  left join known_places as k on k.place = n.place and k.figure = n.figure
),
left_of as (
  select
    event_id_hi,
    event_id_lo,
    sum(case when figure = 'input' then greatest(0, least(excess, room)) end) as input_tokens,
    sum(case when figure = 'output' then greatest(0, least(excess, room)) end) as output_tokens,
    sum(case when figure = 'cache_read' then greatest(0, least(excess, room)) end)
      as cache_read_tokens,
    sum(case when figure = 'cache_write' then greatest(0, least(excess, room)) end)
      as cache_write_tokens,
    sum(case when figure = 'amount' then greatest(0, least(excess, room)) end) as amount
  from capped
  group by event_id_hi, event_id_lo
)
select
  c.event_id_hi,
  c.event_id_lo,
  c.product,
  c.top_session,
  c.kind,
  cast(coalesce(l.input_tokens, 0) as bigint) as input_tokens,
  cast(coalesce(l.output_tokens, 0) as bigint) as output_tokens,
  cast(coalesce(l.cache_read_tokens, 0) as bigint) as cache_read_tokens,
  cast(coalesce(l.cache_write_tokens, 0) as bigint) as cache_write_tokens,
  cast(coalesce(l.amount, 0) as bigint) as amount,
  case
    when c.kind <> 'model_call' then coalesce(l.amount, 0) = 0
    else
      coalesce(l.input_tokens + l.output_tokens + l.cache_read_tokens + l.cache_write_tokens, 0) = 0
  end as is_reported_already
from counters as c
inner join sources as s on s.place = c.place and s.source_group = c.source_group
left join left_of as l on l.event_id_hi = c.event_id_hi and l.event_id_lo = c.event_id_lo
where s.choice > 1 or c.place in (select place from known_places)
