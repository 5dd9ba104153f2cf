-- The last step of a pass of the matcher: the unit of every candidate after it. Units become one
-- that are of different sources and have the same place in a group. Units of one source fill the
-- places that lack it in their order, then new ones: so the first is matched with the first, and
-- an output that is too low never with one that is smaller still. `{before}` is the pass before,
-- `{ranked}` and `{taken}` are what its first two steps have made.
with places as (
  select group_hi, group_lo, place, bit_or(sources) as sources
  from {taken}
  group by group_hi, group_lo, place
),
others as (
  select distinct group_hi, group_lo, sources
  from {ranked}
  where not is_several and not is_base
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
  from {ranked} as r
  inner join sizes as z on z.group_hi = r.group_hi and z.group_lo = r.group_lo
  left join {taken} as s on s.unit_hi = r.unit_hi and s.unit_lo = r.unit_lo
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
