-- Model calls by model, in the order of the breakdown.
select
  model,
  max(model_tier) as model_tier,
  cast(sum(billable_tokens) as bigint) as billable_tokens,
  cast(sum(input_tokens) as bigint) as input_tokens,
  cast(sum(output_tokens) as bigint) as output_tokens,
  cast(sum(cache_read_tokens) as bigint) as cache_read_tokens,
  cast(sum(cache_write_tokens) as bigint) as cache_write_tokens
from tokens
group by model
order by billable_tokens desc, model
