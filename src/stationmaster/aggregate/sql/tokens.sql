-- Model calls by slice, session, model and tier, branch and UTC hour; "thinking" is the tier of
-- calls with reasoning. Dollars are in 10^-12: `amount` of the calls that have a price,
-- `agent_amount` what agents estimate themselves, `same_amount` ours of those same calls. Then how
-- many figures are too low: outputs, counters of a model with context tiers, cache writes that may
-- be kept for longer than they are priced for.
with amounts as (
  select
    t.*,
    coalesce(r.model, 'unknown') as model,
    coalesce(r.tier, 'standard') as model_tier,
    case
      when t.is_unpriced then 0
      else
        cast(t.input_tokens as decimal(19, 0)) * coalesce(r.input, 0)
        + cast(t.output_tokens as decimal(19, 0)) * coalesce(r.output, 0)
        + cast(t.cache_read_tokens as decimal(19, 0)) * coalesce(r.cache_read, 0)
        + cast(t.cache_write_tokens - t.cache_write_1h_tokens as decimal(19, 0))
        * coalesce(r.cache_write, 0)
        + cast(t.cache_write_1h_tokens as decimal(19, 0)) * coalesce(r.cache_write_1h, 0)
    end as amount
  from usage as t
  inner join rates as r on r.number = t.number
)
select
  slice,
  session_id,
  model,
  model_tier,
  branch,
  hour,
  cast(sum(calls) as bigint) as calls,
  cast(sum(assistant_messages) as bigint) as assistant_messages,
  cast(sum(billable_tokens) as bigint) as billable_tokens,
  cast(sum(input_tokens) as bigint) as input_tokens,
  cast(sum(output_tokens) as bigint) as output_tokens,
  cast(sum(cache_read_tokens) as bigint) as cache_read_tokens,
  cast(sum(cache_write_tokens) as bigint) as cache_write_tokens,
  cast(sum(cache_write_1h_tokens) as bigint) as cache_write_1h_tokens,
  cast(sum(amount) as decimal(38, 0)) as amount,
  cast(sum(case when is_unpriced then calls else 0 end) as bigint) as unpriced_calls,
  cast(sum(case when is_unpriced then 1 else 0 end) as bigint) as unpriced,
  cast(sum(output_lower_bounds) as bigint) as output_lower_bounds,
  cast(sum(sums_above_tier) as bigint) as sums_above_tier,
  cast(sum(unknown_retentions) as bigint) as unknown_retentions,
  cast(sum(case when has_agent_cost then calls else 0 end) as bigint) as agent_calls,
  cast(sum(coalesce(agent_amount, 0)) as decimal(38, 0)) as agent_amount,
  cast(sum(case when has_agent_cost then amount else 0 end) as decimal(38, 0)) as same_amount
from amounts
group by slice, session_id, model, model_tier, branch, hour
