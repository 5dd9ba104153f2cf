-- Model calls by slice, session, model and tier, branch and UTC hour; "thinking" is the tier of
-- calls with reasoning. Credits are rounded half up call by call, so that every
-- breakdown adds up. A call of the main conversation is one assistant message.
with sums as (
  select
    e.user_id,
    s.user_id as session_user,
    e.product,
    e.repo,
    e.team,
    case when e.is_loose then null else e.session_id end as session_id,
    coalesce(e.branch, b.branch) as branch,
    cast(floor((e.ts % 86400000) / 3600000) as int) as hour,
    r.number,
    sum(case when e.is_aggregate then 0 else 1 end) as calls,
    sum(
      case
        when e.is_auxiliary or e.is_subagent or e.is_aggregate or s.is_auxiliary then 0
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
    sum(e.input_tokens) as input_tokens,
    sum(e.output_tokens) as output_tokens,
    sum(e.cache_read_tokens) as cache_read_tokens,
    sum(e.cache_write_tokens) as cache_write_tokens
  from counted as e
  inner join rates as r
    on r.model is not distinct from e.model and r.tier is not distinct from e.model_tier
  left join irregular as s on s.product = e.product and s.session_id = e.session_id
  left join branches as b
    on e.branch is null
    and b.product = e.product
    and b.session_id = e.session_id
    and e.ts >= b.starts_at
    and e.ts < b.ends_at
  where e.kind = 'model_call'
  group by
    e.user_id,
    s.user_id,
    e.product,
    e.repo,
    e.team,
    case when e.is_loose then null else e.session_id end,
    coalesce(e.branch, b.branch),
    cast(floor((e.ts % 86400000) / 3600000) as int),
    r.number
)
select
  n.slice,
  case when t.session_id is not null then concat(t.product, '/', t.session_id) end as session_id,
  coalesce(r.model, 'unknown') as model,
  coalesce(r.tier, 'standard') as model_tier,
  t.branch,
  t.hour,
  cast(sum(t.calls) as bigint) as calls,
  cast(sum(t.assistant_messages) as bigint) as assistant_messages,
  cast(sum(t.billable_tokens) as bigint) as billable_tokens,
  cast(sum(coalesce(t.input_tokens, 0)) as bigint) as input_tokens,
  cast(sum(coalesce(t.output_tokens, 0)) as bigint) as output_tokens,
  cast(sum(coalesce(t.cache_read_tokens, 0)) as bigint) as cache_read_tokens,
  cast(sum(coalesce(t.cache_write_tokens, 0)) as bigint) as cache_write_tokens
from sums as t
inner join rates as r on r.number = t.number
inner join slices as n
  on n.user_id = coalesce(t.session_user, t.user_id)
  and n.product = t.product
  and n.repo = t.repo
  and n.team = t.team
group by
  n.slice,
  case when t.session_id is not null then concat(t.product, '/', t.session_id) end,
  coalesce(r.model, 'unknown'),
  coalesce(r.tier, 'standard'),
  t.branch,
  t.hour
