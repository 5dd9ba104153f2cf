-- Every event with what counts of it, where counters tell the same as others.
select
  e.*,
  case when c.is_told_already then 'left_out' else e.its_kind end as counted_kind,
  coalesce(c.input_tokens, e.input_tokens) as counted_input,
  coalesce(c.output_tokens, e.output_tokens) as counted_output,
  coalesce(c.cache_read_tokens, e.cache_read_tokens) as counted_cache_read,
  coalesce(c.cache_write_tokens, e.cache_write_tokens) as counted_cache_write,
  coalesce(c.amount, e.count) as counted_amount
from eligible as e
left join counters as c on c.event_id_hi = e.event_id_hi and c.event_id_lo = e.event_id_lo
