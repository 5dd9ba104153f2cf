-- The client of a session where its events name several: the best source's, then the earliest.
with several as (
  select product, session_id
  from seen
  group by product, session_id
  having ((bit_or(seen) >> 4) & 7) not in (0, 1, 2, 4)
),
ranked as (
  select
    e.product,
    e.session_id,
    e.client,
    row_number() over (
      partition by e.product, e.session_id order by e.source_rank, e.ts, e.client
    ) as place
  from counted as e
  inner join several as s on s.product = e.product and s.session_id = e.session_id
  where e.client is not null
)
select product, session_id, client
from ranked
where place = 1
