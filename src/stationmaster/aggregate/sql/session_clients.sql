-- The client of a session where its events name several: the best source's, then the earliest.
with clients_that_differ as (
  select product, session_id
  from session_activity
  group by product, session_id
  having ((bit_or(activity) >> 4) & 7) not in (0, 1, 2, 4)
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
  inner join clients_that_differ as s on s.product = e.product and s.session_id = e.session_id
  where e.client is not null
)
select product, session_id, client
from ranked
where place = 1
