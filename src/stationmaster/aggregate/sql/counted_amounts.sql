-- Every event with what counts of it, where there are counters. Tokens of calls that are estimates
-- do not count where a counter of their session does.
select
  e.*,
  case when c.is_reported_already then 'left_out' else e.its_kind end as counted_kind,
  case when k.kind is not null then 0 else coalesce(c.input_tokens, e.input_tokens) end
    as counted_input,
  case when k.kind is not null then 0 else coalesce(c.output_tokens, e.output_tokens) end
    as counted_output,
  case when k.kind is not null then 0 else coalesce(c.cache_read_tokens, e.cache_read_tokens) end
    as counted_cache_read,
  case when k.kind is not null then 0 else coalesce(c.cache_write_tokens, e.cache_write_tokens) end
    as counted_cache_write,
  coalesce(c.amount, e.count) as counted_amount
from eligible as e
left join counters as c on c.event_id_hi = e.event_id_hi and c.event_id_lo = e.event_id_lo
left join (
  select distinct product, top_session, kind
  from counters
  where kind = 'model_call' and not is_reported_already
) as k
  on k.product = e.product
  and k.top_session = e.top_session
  and k.kind = e.its_kind
  and not e.is_aggregate
  and e.quality like '%estimated%'
