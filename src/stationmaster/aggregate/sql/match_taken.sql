-- The second step of a pass of the matcher: the places of the units of each group's base, the
-- source that reports most of it, by output and then by time; and of units of several other
-- sources, in the places that lack all of their sources, then in new ones. `{ranked}` are the
-- units of the first step.
with bases as (
  select *, count(*) over (partition by group_hi, group_lo) as places
  from {ranked}
  where is_base
),
others as (
  select distinct group_hi, group_lo, sources
  from {ranked}
  where is_several and not is_base
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
  from {ranked} as r
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
)
select
  r.unit_hi,
  r.unit_lo,
  r.group_hi,
  r.group_lo,
  r.sources,
  coalesce(c.place, r.place + p.places) as place
from {ranked} as r
inner join (select distinct group_hi, group_lo, places from bases) as p
  on p.group_hi = r.group_hi and p.group_lo = r.group_lo
left join claimed as c
  on c.unit_hi = r.unit_hi and c.unit_lo = r.unit_lo and c.claim = 1
where r.is_several and not r.is_base
union all
select unit_hi, unit_lo, group_hi, group_lo, sources, place
from bases
