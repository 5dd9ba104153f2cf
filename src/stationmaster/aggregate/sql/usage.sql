-- Model calls by slice, session, branch and UTC hour, as far as one price holds for them: its row in
-- `rates` is chosen for each call by itself, whose whole input decides the context tier. Credits are
-- rounded half up call by call, so that every breakdown adds up. A call of the main conversation is
-- one assistant message.
-- Counters (`is_aggregate`) are sums of calls, which take the lowest tier. An agent's own estimate
-- is added up in 10^-12 dollars; one beyond what a double holds exactly is none.
with sums as (
  select
    e.slice,
    e.session,
    e.is_loose,
    coalesce(e.branch, b.branch) as branch,
    cast(floor((e.ts % 86400000) / 3600000) as int) as hour,
    r.number,
    (r.lacks_input and coalesce(e.input_tokens, 0) > 0)
    or (r.lacks_output and coalesce(e.output_tokens, 0) > 0)
    or (r.lacks_cache_read and coalesce(e.cache_read_tokens, 0) > 0)
    or (
      r.lacks_cache_write
      and coalesce(e.cache_write_tokens, 0) > coalesce(e.cache_write_1h_tokens, 0)
    )
    or (
      r.lacks_cache_write_1h
      and least(coalesce(e.cache_write_1h_tokens, 0), coalesce(e.cache_write_tokens, 0)) > 0
    ) as is_unpriced,
    coalesce(e.cost_usd >= 0 and e.cost_usd < 9000, false) as has_agent_cost,
    sum(
      case
        when e.is_auxiliary or e.is_subagent or e.is_aggregate or e.is_helper then 0
        else 1
      end
    ) as assistant_messages,
    sum(
      cast(
        floor(
          (
            r.multiplier_milli
            * (
              1000 * (coalesce(e.input_tokens, 0) + coalesce(e.output_tokens, 0))
              + r.cache_read_milli * coalesce(e.cache_read_tokens, 0)
              + r.cache_write_milli * coalesce(e.cache_write_tokens, 0)
            )
            + 500000
          )
          / 1000000
        ) as bigint
      )
    ) as billable_tokens,
    sum(coalesce(e.input_tokens, 0)) as input_tokens,
    sum(coalesce(e.output_tokens, 0)) as output_tokens,
    sum(coalesce(e.cache_read_tokens, 0)) as cache_read_tokens,
    sum(coalesce(e.cache_write_tokens, 0)) as cache_write_tokens,
    sum(least(coalesce(e.cache_write_1h_tokens, 0), coalesce(e.cache_write_tokens, 0)))
      as cache_write_1h_tokens,
    sum(case when e.is_aggregate then 0 else 1 end) as calls,
    sum(case when e.is_lower_bound then 1 else 0 end) as output_lower_bounds,
    sum(
      case
        when
          e.is_aggregate
          and coalesce(e.input_tokens, 0)
          + coalesce(e.cache_read_tokens, 0)
          + coalesce(e.cache_write_tokens, 0) > r.tiers_above
          then 1
        else 0
      end
    ) as sums_above_tier,
    sum(
      case
        when
          r.has_retentions
          and e.product in ({caching_for_an_hour})
          and e.cache_write_tokens > 0
          and e.cache_write_1h_tokens is null
          then 1
        else 0
      end
    ) as unknown_retentions,
    sum(
      cast(
        case when e.cost_usd >= 0 and e.cost_usd < 9000 then round(e.cost_usd * 1000000000000) end
        as decimal(18, 0)
      )
    ) as agent_amount
  from sliced as e
  inner join rates as r
    on {same_kind}
    and (
      case
        when e.is_aggregate then 0
        else
          coalesce(e.input_tokens, 0)
          + coalesce(e.cache_read_tokens, 0)
          + coalesce(e.cache_write_tokens, 0)
      end
    ) between r.input_from and r.input_to
  left join branches as b
    on e.branch is null
    and b.product = e.product
    and b.session_id = e.session_id
    and e.ts >= b.starts_at
    and e.ts < b.ends_at
  where e.kind = 'model_call'
  group by
    e.slice,
    e.session,
    e.is_loose,
    coalesce(e.branch, b.branch),
    cast(floor((e.ts % 86400000) / 3600000) as int),
    r.number,
    is_unpriced,
    has_agent_cost
)
select
  t.slice,
  case when not t.is_loose then concat(s.product, '/', s.session_id) end as session_id,
  t.branch,
  t.hour,
  t.number,
  t.is_unpriced,
  t.has_agent_cost,
  t.assistant_messages,
  t.billable_tokens,
  t.input_tokens,
  t.output_tokens,
  t.cache_read_tokens,
  t.cache_write_tokens,
  t.cache_write_1h_tokens,
  t.calls,
  t.output_lower_bounds,
  t.sums_above_tier,
  t.unknown_retentions,
  t.agent_amount
from sums as t
inner join sessions as s on s.number = t.session
