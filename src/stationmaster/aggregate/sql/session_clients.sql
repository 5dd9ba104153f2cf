-- The client of a session where its events name several: the best source's, then the earliest.
with ranked as (
  select
    e.product,
    e.session_id,
    e.client,
    row_number() over (
      partition by e.product, e.session_id order by e.source_rank, e.ts, e.client
    ) as place
  from counted as e
  inner join seen as s on s.product = e.product and s.session_id = e.session_id
  where s.first_client <> s.last_client and e.client is not null
)
select product, session_id, client
from ranked
where place = 1
