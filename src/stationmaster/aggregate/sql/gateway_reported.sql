-- The session of each call of the gateway that an agent reported, too: within a quarter of an hour,
-- by its id, else by its figures. Reports of another user count where that one is not known for sure
-- and all figures agree. A report is given to one call.
with reports as (
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
    and product in (select product from gateway_calls)
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
  from gateway_calls as c
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
)
select event_id_hi, event_id_lo, session_id
from claimed
where claim = 1
