-- The session that each call of the gateway belongs to whose agent named none: that of a report of
-- the same call within a quarter of an hour, which is told by its id, else by its figures; else the
-- session in which the same person used the same agent nearest to it in time. Reports of another
-- user count where that one is not known for sure and all figures agree. A report is given to one
-- call.
with calls as (
  select
    event_id_hi,
    event_id_lo,
    product,
    user_id,
    min(ts) as ts,
    min(model) as model,
    max(coalesce(input_tokens, 0)) as input_tokens,
    max(coalesce(output_tokens, 0)) as output_tokens,
    max(coalesce(cache_read_tokens, 0)) as cache_read_tokens,
    max(coalesce(cache_write_tokens, 0)) as cache_write_tokens,
    max(coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0))
      as prompt_tokens
  from present
  where source = 'gateway' and kind = 'model_call' and root_session_id is null
  group by event_id_hi, event_id_lo, product, user_id
),
reports as (
  select
    event_id_hi,
    event_id_lo,
    product,
    user_id,
    root_session_id as session_id,
    min(case when user_source in ('credential', 'email') then 0 else 1 end) = 1 as is_unsure,
    min(ts) as ts,
    min(model) as model,
    max(coalesce(input_tokens, 0)) as input_tokens,
    max(coalesce(output_tokens, 0)) as output_tokens,
    max(coalesce(cache_read_tokens, 0)) as cache_read_tokens,
    max(coalesce(cache_write_tokens, 0)) as cache_write_tokens,
    max(coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0))
      as prompt_tokens
  from present
  where
    source <> 'gateway'
    and kind = 'model_call'
    and root_session_id is not null
    and not is_aggregate
    and product in (select product from calls)
  group by event_id_hi, event_id_lo, product, user_id, root_session_id
),
compared as (
  select
    c.event_id_hi,
    c.event_id_lo,
    r.event_id_hi as report_hi,
    r.event_id_lo as report_lo,
    r.session_id,
    c.user_id is not distinct from r.user_id as is_same_user,
    r.is_unsure,
    case
      when c.event_id_hi = r.event_id_hi and c.event_id_lo = r.event_id_lo then 0
      when
        c.model is not distinct from r.model
        and c.input_tokens = r.input_tokens
        and c.output_tokens = r.output_tokens
        and c.cache_read_tokens = r.cache_read_tokens
        and c.cache_write_tokens = r.cache_write_tokens
        then 1
      when c.output_tokens = r.output_tokens then 2
      else 3
    end as unlikeness,
    abs(c.ts - r.ts) as gap
  from calls as c
  inner join reports as r on r.product = c.product and r.prompt_tokens = c.prompt_tokens
  where c.prompt_tokens > 0 and abs(c.ts - r.ts) <= 900000
),
chosen as (
  select
    *,
    row_number() over (
      partition by event_id_hi, event_id_lo
      order by unlikeness, is_same_user desc, gap, report_hi, report_lo, session_id
    ) as choice
  from compared
  where is_same_user or unlikeness = 0 or (is_unsure and unlikeness = 1)
),
claimed as (
  select
    *,
    row_number() over (
      partition by report_hi, report_lo
      order by unlikeness, gap, event_id_hi, event_id_lo
    ) as claim
  from chosen
  where choice = 1
),
reported as (
  select event_id_hi, event_id_lo, session_id
  from claimed
  where claim = 1
),
others as (
  select c.event_id_hi, c.event_id_lo, c.product, c.user_id, c.ts
  from calls as c
  left join reported as r on r.event_id_hi = c.event_id_hi and r.event_id_lo = c.event_id_lo
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
from reported
union all
select n.event_id_hi, n.event_id_lo, min(m.session_id) as session_id
from nearest as n
inner join moments as m
  on m.product = n.product and m.user_id = n.user_id and m.ts = n.near_ts
where abs(n.near_ts - n.ts) <= 900000
group by n.event_id_hi, n.event_id_lo
