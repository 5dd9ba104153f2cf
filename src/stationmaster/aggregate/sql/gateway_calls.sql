-- The calls of the gateway whose agent named no session.
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
