-- One pass of the matcher: the unit of every candidate after it. Units become one that are of
-- different sources, have the same key and lie within a quarter of an hour (where their times are
-- their own, and not a file's). The units of the source that reports most of a group have a place
-- each, by output and then by time. Those of other sources fill the places that lack all of their
-- sources in the same order, units of several sources first, then new ones: so the first is matched
-- with the first, and an output that is too low never with one that is smaller still. `{before}` is
-- the pass before, `{key}` an expression of the columns of `units`; null: no match.
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
),
ranked as (
  select
    o.*,
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
),
bases as (
  select *, count(*) over (partition by group_hi, group_lo) as places
  from ranked
  where is_base
),
others as (
  select distinct group_hi, group_lo, sources, is_several
  from ranked
  where not is_base
),
fitting as (
  select
    o.group_hi,
    o.group_lo,
    o.sources,
    b.place,
    row_number() over (
      partition by o.group_hi, o.group_lo, o.sources order by b.place
    ) as turn,
    sum(b.place) over (partition by o.group_hi, o.group_lo, o.sources) as same_places
  from others as o
  inner join bases as b
    on b.group_hi = o.group_hi and b.group_lo = o.group_lo and (b.sources & o.sources) = 0
  where o.is_several
),
-- Units that fit into the same places take turns.
queued as (
  select
    r.unit_hi,
    r.unit_lo,
    r.group_hi,
    r.group_lo,
    r.sources,
    row_number() over (
      partition by r.group_hi, r.group_lo, f.same_places
      order by r.output_tokens desc, r.ts, r.unit_hi, r.unit_lo
    ) as turn
  from ranked as r
  inner join fitting as f
    on f.group_hi = r.group_hi
    and f.group_lo = r.group_lo
    and f.sources = r.sources
    and f.turn = 1
),
claimed as (
  select
    q.unit_hi,
    q.unit_lo,
    f.place,
    row_number() over (
      partition by f.group_hi, f.group_lo, f.place order by q.sources, q.unit_hi, q.unit_lo
    ) as claim
  from queued as q
  inner join fitting as f
    on f.group_hi = q.group_hi
    and f.group_lo = q.group_lo
    and f.sources = q.sources
    and f.turn = q.turn
),
base_or_several as (
  select
    r.unit_hi,
    r.unit_lo,
    r.group_hi,
    r.group_lo,
    r.sources,
    coalesce(c.place, r.place + p.places) as place
  from ranked as r
  inner join (select distinct group_hi, group_lo, places from bases) as p
    on p.group_hi = r.group_hi and p.group_lo = r.group_lo
  left join claimed as c
    on c.unit_hi = r.unit_hi and c.unit_lo = r.unit_lo and c.claim = 1
  where r.is_several and not r.is_base
  union all
  select unit_hi, unit_lo, group_hi, group_lo, sources, place
  from bases
),
places as (
  select group_hi, group_lo, place, bit_or(sources) as sources
  from base_or_several
  group by group_hi, group_lo, place
),
open_places as (
  select
    o.group_hi,
    o.group_lo,
    o.sources,
    p.place,
    row_number() over (
      partition by o.group_hi, o.group_lo, o.sources order by p.place
    ) as turn
  from others as o
  inner join places as p
    on p.group_hi = o.group_hi and p.group_lo = o.group_lo and (p.sources & o.sources) = 0
  where not o.is_several
),
sizes as (
  select group_hi, group_lo, max(place) as places
  from places
  group by group_hi, group_lo
),
turns as (
  select group_hi, group_lo, sources, count(*) as turns
  from open_places
  group by group_hi, group_lo, sources
),
placed_units as (
  select
    r.unit_hi,
    r.unit_lo,
    r.source_rank,
    r.ts,
    r.own_id,
    r.group_hi,
    r.group_lo,
    coalesce(s.place, p.place, z.places + r.turn - coalesce(t.turns, 0)) as place
  from ranked as r
  inner join sizes as z on z.group_hi = r.group_hi and z.group_lo = r.group_lo
  left join base_or_several as s on s.unit_hi = r.unit_hi and s.unit_lo = r.unit_lo
  left join open_places as p
    on p.group_hi = r.group_hi
    and p.group_lo = r.group_lo
    and p.sources = r.sources
    and p.turn = r.turn
  left join turns as t
    on t.group_hi = r.group_hi and t.group_lo = r.group_lo and t.sources = r.sources
),
heads as (
  select
    unit_hi,
    unit_lo,
    first_value(unit_hi) over (
      partition by group_hi, group_lo, place order by source_rank, ts, unit_hi, unit_lo
    ) as head_hi,
    first_value(unit_lo) over (
      partition by group_hi, group_lo, place order by source_rank, ts, unit_hi, unit_lo
    ) as head_lo,
    min(own_id) over (partition by group_hi, group_lo, place) as first_id,
    max(own_id) over (partition by group_hi, group_lo, place) as last_id
  from placed_units
)
select
  b.event_id_hi,
  b.event_id_lo,
  coalesce(h.head_hi, b.unit_hi) as unit_hi,
  coalesce(h.head_lo, b.unit_lo) as unit_lo
from {before} as b
left join heads as h
  on h.unit_hi = b.unit_hi
  and h.unit_lo = b.unit_lo
  and (h.first_id is null or h.first_id = h.last_id)
