-- The last pass of the matcher: calls that a source reported without any figures (they were sent
-- again, or their stream was interrupted) are one with those that only another source reported near
-- them.
with units as (
  select
    c.number,
    b.unit_hi,
    b.unit_lo,
    bit_or(c.sources) as sources,
    min(c.ts) as ts,
    min(c.name) as name,
    max(c.prompt_tokens) as prompt_tokens
  from {before} as b
  inner join candidates as c
    on c.event_id_hi = b.event_id_hi and c.event_id_lo = b.event_id_lo
  where c.kind = 'model_call'
  group by c.number, b.unit_hi, b.unit_lo
),
ranked as (
  select
    *,
    row_number() over (
      partition by number, name, sources, prompt_tokens = 0 order by ts, unit_hi, unit_lo
    ) as place
  from units
),
pairs as (
  select
    z.unit_hi,
    z.unit_lo,
    u.unit_hi as head_hi,
    u.unit_lo as head_lo,
    row_number() over (
      partition by z.unit_hi, z.unit_lo order by u.sources, u.unit_hi, u.unit_lo
    ) as choice,
    row_number() over (
      partition by u.unit_hi, u.unit_lo order by z.sources, z.unit_hi, z.unit_lo
    ) as claim
  from ranked as z
  inner join ranked as u
    on u.number = z.number
    and u.name is not distinct from z.name
    and u.place = z.place
  where
    z.prompt_tokens = 0
    and u.prompt_tokens > 0
    and (z.sources & u.sources) = 0
    and abs(z.ts - u.ts) <= 900000
)
select
  b.event_id_hi,
  b.event_id_lo,
  coalesce(p.head_hi, b.unit_hi) as unit_hi,
  coalesce(p.head_lo, b.unit_lo) as unit_lo
from {before} as b
left join pairs as p
  on p.unit_hi = b.unit_hi and p.unit_lo = b.unit_lo and p.choice = 1 and p.claim = 1
