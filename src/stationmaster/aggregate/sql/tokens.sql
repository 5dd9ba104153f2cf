-- Model calls by user, model and tier. Credits are rounded half up call by call, so that every
-- breakdown adds up. A call of the main conversation is one assistant message.
select
  coalesce(s.user_id, e.user_id) as user_id,
  r.model as model,
  coalesce(e.model_tier, 'standard') as model_tier,
  cast(sum(
    case
      when e.is_auxiliary or e.is_subagent or e.is_aggregate or coalesce(s.is_auxiliary, false) then 0
      else 1
    end
  ) as bigint) as assistant_messages,
  cast(sum(
    cast(
      floor(
        (
          r.multiplier_milli
          * (
            10
            * (
              coalesce(e.input_tokens, 0)
              + coalesce(e.output_tokens, 0)
              + coalesce(e.cache_write_tokens, 0) * r.cache_write_weight
            )
            + coalesce(e.cache_read_tokens, 0)
          )
          + 5000
        )
        / 10000
      ) as bigint
    )
  ) as bigint) as billable_tokens,
  cast(sum(coalesce(e.input_tokens, 0)) as bigint) as input_tokens,
  cast(sum(coalesce(e.output_tokens, 0)) as bigint) as output_tokens,
  cast(sum(coalesce(e.cache_read_tokens, 0)) as bigint) as cache_read_tokens,
  cast(sum(coalesce(e.cache_write_tokens, 0)) as bigint) as cache_write_tokens
from counted as e
inner join rates as r on r.model = coalesce(e.model, 'unknown')
left join irregular as s on s.product = e.product and s.session_id = e.session_id
where e.kind = 'model_call' and (s.session_id is null or s.tokens_bit = 1 << e.source_group)
group by coalesce(s.user_id, e.user_id), r.model, coalesce(e.model_tier, 'standard')
