-- The first step of a pass of the matcher: the units that have a key, each with its group and its
-- rank there. A group has units of one key that are within a quarter of an hour (where their times
-- are their own, and not a file's). `{before}` is the pass before, `{key}` an expression of the
-- columns of `units`; null: no match.
with units as (
  select
    c.number,
    c.family,
    min(c.kind) as kind,
    b.unit_hi,
    b.unit_lo,
    bit_or(c.sources) as sources,
    min(c.source_rank) as source_rank,
    min(c.ts) as ts,
    max(c.untimed) as untimed,
    min(c.own_id) as own_id,
    min(c.name) as name,
    max(c.refused) as refused,
    max(c.succeeded) as succeeded,
    max(c.input_tokens) as input_tokens,
    max(c.output_tokens) as output_tokens,
    max(c.cache_read_tokens) as cache_read_tokens,
    max(c.cache_write_tokens) as cache_write_tokens,
    max(c.prompt_tokens) as prompt_tokens
  from {before} as b
  inner join candidates as c
    on c.event_id_hi = b.event_id_hi and c.event_id_lo = b.event_id_lo
  group by c.number, c.family, b.unit_hi, b.unit_lo
),
keyed as (
  select
    number,
    family,
    unit_hi,
    unit_lo,
    sources,
    source_rank,
    ts,
    untimed,
    own_id,
    output_tokens,
    {key} as key
  from units
),
spaced as (
  select
    *,
    case
      when
        ts - lag(ts) over (partition by number, family, key order by ts, unit_hi, unit_lo) > 900000
        and max(untimed) over (partition by number, family, key) = 0
        then 1
      else 0
    end as is_apart
  from keyed
  where key is not null
),
grouped as (
  select
    *,
    sum(is_apart) over (
      partition by number, family, key order by ts, unit_hi, unit_lo
      rows between unbounded preceding and current row
    ) as stretch
  from spaced
),
ordered as (
  select
    *,
    (sources & (sources - 1)) <> 0 as is_several,
    first_value(unit_hi) over (
      partition by number, family, key, stretch order by ts, unit_hi, unit_lo
    ) as group_hi,
    first_value(unit_lo) over (
      partition by number, family, key, stretch order by ts, unit_hi, unit_lo
    ) as group_lo
  from grouped
),
fullest as (
  select
    o.group_hi,
    o.group_lo,
    b.bit,
    row_number() over (
      partition by o.group_hi, o.group_lo
      order by
        count(*) desc,
        sum(o.output_tokens) desc,
        sum(case when o.is_several then 1 else 0 end) desc,
        b.bit
    ) as choice
  from ordered as o
  inner join source_bits as b on (o.sources & b.bit) <> 0
  group by o.group_hi, o.group_lo, b.bit
)
select
  o.group_hi,
  o.group_lo,
  o.unit_hi,
  o.unit_lo,
  o.sources,
  o.source_rank,
  o.ts,
  o.own_id,
  o.output_tokens,
  o.is_several,
  (o.sources & f.bit) <> 0 as is_base,
  row_number() over (
    partition by o.group_hi, o.group_lo, (o.sources & f.bit) <> 0
    order by o.output_tokens desc, o.ts, o.unit_hi, o.unit_lo
  ) as place,
  row_number() over (
    partition by o.group_hi, o.group_lo, o.sources
    order by o.output_tokens desc, o.ts, o.unit_hi, o.unit_lo
  ) as turn
from ordered as o
inner join fullest as f
  on f.group_hi = o.group_hi and f.group_lo = o.group_lo and f.choice = 1
