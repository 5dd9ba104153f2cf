-- One pass of the matcher: the unit of every candidate after it. Units become one that are of
-- different sources, have the same key and lie within a quarter of an hour (where their times are
-- their own, and not a file's): of the equal ones of each source the first with the first, the
-- second with the second. Units of several sources have a place each; those of one source fill the
-- places that lack their source, then new ones. `{before}` is the pass before, `{key}` an
-- expression of the columns of `units`; null: no match.
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
  select number, family, unit_hi, unit_lo, sources, source_rank, ts, untimed, own_id, {key} as key
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
    first_value(unit_hi) over (
      partition by number, family, key, stretch order by ts, unit_hi, unit_lo
    ) as group_hi,
    first_value(unit_lo) over (
      partition by number, family, key, stretch order by ts, unit_hi, unit_lo
    ) as group_lo,
    row_number() over (
      partition by number, family, key, stretch, (sources & (sources - 1)) <> 0
      order by ts, unit_hi, unit_lo
    ) as several_place,
    row_number() over (
      partition by number, family, key, stretch, sources order by ts, unit_hi, unit_lo
    ) as single_place
  from grouped
),
several_units as (
  select group_hi, group_lo, sources, several_place as place
  from ordered
  where (sources & (sources - 1)) <> 0
),
sizes as (
  select group_hi, group_lo, max(place) as places
  from several_units
  group by group_hi, group_lo
),
singles as (
  select distinct group_hi, group_lo, sources
  from ordered
  where (sources & (sources - 1)) = 0
),
open_places as (
  select
    s.group_hi,
    s.group_lo,
    s.sources,
    m.place,
    row_number() over (
      partition by s.group_hi, s.group_lo, s.sources order by m.place
    ) as turn,
    count(*) over (partition by s.group_hi, s.group_lo, s.sources) as turns
  from singles as s
  inner join several_units as m
    on m.group_hi = s.group_hi and m.group_lo = s.group_lo and (m.sources & s.sources) = 0
),
turns as (
  select distinct group_hi, group_lo, sources, turns from open_places
),
placed_units as (
  select
    o.unit_hi,
    o.unit_lo,
    o.source_rank,
    o.ts,
    o.own_id,
    o.group_hi,
    o.group_lo,
    case
      when (o.sources & (o.sources - 1)) <> 0 then o.several_place
      when p.place is not null then p.place
      else coalesce(z.places, 0) + o.single_place - coalesce(t.turns, 0)
    end as place
  from ordered as o
  left join sizes as z on z.group_hi = o.group_hi and z.group_lo = o.group_lo
  left join open_places as p
    on p.group_hi = o.group_hi
    and p.group_lo = o.group_lo
    and p.sources = o.sources
    and p.turn = o.single_place
  left join turns as t
    on t.group_hi = o.group_hi and t.group_lo = o.group_lo and t.sources = o.sources
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
