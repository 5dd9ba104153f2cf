-- The units that do not count, because a source that reports more of the same session, kind and
-- class does not know them. A class is what sources may leave out as a whole: the agent's own calls
-- as distinct from those of the conversation, each event that hooks run at, refused tool calls,
-- answers that were cancelled. Sources of one group that share ids in a session add up there, as
-- source 1024. The one that reports most counts, so that no source removes what another one
-- reported; of hooks the one that knows most executions, and of equal ones the better, since
-- exports count the agent's own hooks with each.
with units as (
  select
    c.number,
    min(c.kind) as kind,
    m.unit_hi,
    m.unit_lo,
    bit_or(c.sources) as sources,
    max(c.auxiliary) as auxiliary,
    coalesce(
      max(case when c.refused = 1 then 'refused' end),
      min(
        case
          when c.kind = 'hook' then c.name
          when c.kind = 'model_error' and c.name = 'aborted' then c.name
        end
      )
    ) as class,
    max(c.amount) as amount,
    max(c.input_tokens)
    + max(c.output_tokens)
    + max(c.cache_read_tokens)
    + max(c.cache_write_tokens) as tokens
  from matched as m
  inner join candidates as c
    on c.event_id_hi = m.event_id_hi and c.event_id_lo = m.event_id_lo
  group by c.number, c.family, m.unit_hi, m.unit_lo
),
sharing as (
  select number, kind, bit_or(sources) as sources
  from candidates
  where is_shared
  group by number, kind
),
rivals as (
  select
    u.*,
    case
      when (u.sources & coalesce(s.sources, 0)) = 0 then u.sources
      else (u.sources & ~s.sources) | 1024
    end as rivals
  from units as u
  left join sharing as s on s.number = u.number and s.kind = u.kind
),
reported_by as (
  select
    r.number,
    r.kind,
    r.auxiliary,
    r.class,
    b.bit,
    count(*) as units,
    sum(r.amount) as amount,
    sum(r.tokens) as tokens
  from rivals as r
  inner join source_bits as b on (r.rivals & b.bit) <> 0
  group by r.number, r.kind, r.auxiliary, r.class, b.bit
),
ranks as (
  select
    c.number,
    c.family,
    b.bit,
    min(e.source_group) as source_group,
    min(e.source_rank) as source_rank
  from events as e
  inner join incomplete_families as c
    on c.product = e.product and c.session_id = e.root_session_id and c.family = e.kind
  inner join source_bits as b on b.source = e.source
  where not e.is_aggregate
  group by c.number, c.family, b.bit
),
ranked as (
  select
    t.*,
    row_number() over (
      partition by t.number, t.kind, t.auxiliary, t.class
      order by
        case when t.kind = 'hook' then t.units end desc,
        case when t.kind = 'hook' then s.source_group end,
        t.tokens desc,
        t.amount desc,
        coalesce(s.source_group, 0),
        coalesce(s.source_rank, 0),
        t.bit
    ) as place
  from reported_by as t
  left join ranks as s on s.number = t.number and s.family = t.kind and s.bit = t.bit
),
conversations as (
  select distinct product, root_session_id
  from events
  where kind in ('user_message', 'tool_call')
),
-- A process that resumes a session reports its first hooks under an id of its own.
begun_elsewhere as (
  select distinct e.event_id_hi, e.event_id_lo
  from events as e
  inner join events as t
    on t.product = e.product
    and t.user_id = e.user_id
    and t.kind = e.kind
    and t.hook_event = e.hook_event
  left join conversations as c
    on c.product = e.product and c.root_session_id = e.root_session_id
  where
    e.kind = 'hook'
    and not e.is_aggregate
    and not t.is_aggregate
    and t.source_group < e.source_group
    and t.root_session_id <> e.root_session_id
    and abs(t.ts - e.ts) <= 60000
    and c.product is null
)
select r.unit_hi as event_id_hi, r.unit_lo as event_id_lo
from rivals as r
inner join ranked as w
  on w.number = r.number
  and w.kind = r.kind
  and w.auxiliary = r.auxiliary
  and w.class is not distinct from r.class
where w.place = 1 and (r.rivals & w.bit) = 0
union
select event_id_hi, event_id_lo from begun_elsewhere
