-- What the day's events lack, as they arrived: a session's are known by any of its events.
with sessions_of_day as (
  select
    product,
    root_session_id,
    sum(case when kind in ('model_call', 'tool_call', 'user_message') then 1 else 0 end) as events,
    sum(case when kind = 'tool_call' then 1 else 0 end) as calls,
    max(case when repo is null then 0 else 1 end) as has_repository,
    max(case when client is null then 0 else 1 end) as has_client,
    max(case when autonomy is null then 0 else 1 end) as has_autonomy,
    sum(case when quality like '%clock_skew%' then 1 else 0 end) as clock_skew
  from events
  group by product, root_session_id
)
select
  product,
  cast(sum(events) as bigint) as events,
  cast(sum(case when root_session_id is null then events else 0 end) as bigint) as without_session,
  cast(sum(events * (1 - has_repository)) as bigint) as without_repository,
  cast(sum(events * (1 - has_client)) as bigint) as without_client,
  cast(sum(calls) as bigint) as calls,
  cast(sum(calls * (1 - has_autonomy)) as bigint) as without_autonomy,
  cast(sum(clock_skew) as bigint) as clock_skew
from sessions_of_day
group by product
