-- The session that each call of the gateway belongs to whose agent named none: that of a report of
-- the same call, else the session in which the same person used the same agent nearest to it in time.
with others as (
  select c.event_id_hi, c.event_id_lo, c.product, c.user_id, c.ts
  from gateway_calls as c
  left join gateway_reported as r on r.event_id_hi = c.event_id_hi and r.event_id_lo = c.event_id_lo
  where r.event_id_hi is null and c.user_id is not null
),
moments as (
  select product, user_id, ts, min(root_session_id) as session_id
  from present
  where
    root_session_id is not null
    and source <> 'gateway'
    and product in (select product from others)
    and user_id in (select user_id from others)
  group by product, user_id, ts
),
timeline as (
  select product, user_id, ts, session_id, null as event_id_hi, null as event_id_lo
  from moments
  union all
  select product, user_id, ts, null as session_id, event_id_hi, event_id_lo
  from others
),
surrounded as (
  select
    *,
    max(case when session_id is not null then ts end) over (
      partition by product, user_id order by ts rows between unbounded preceding and current row
    ) as ts_before,
    min(case when session_id is not null then ts end) over (
      partition by product, user_id order by ts rows between current row and unbounded following
    ) as ts_after
  from timeline
),
nearest as (
  select
    event_id_hi,
    event_id_lo,
    product,
    user_id,
    ts,
    case
      when ts_after is null or ts - ts_before <= ts_after - ts then ts_before
      else ts_after
    end as near_ts
  from surrounded
  where session_id is null
)
select event_id_hi, event_id_lo, session_id
from gateway_reported
union all
select n.event_id_hi, n.event_id_lo, min(m.session_id) as session_id
from nearest as n
inner join moments as m
  on m.product = n.product and m.user_id = n.user_id and m.ts = n.near_ts
where abs(n.near_ts - n.ts) <= 900000
group by n.event_id_hi, n.event_id_lo
