-- Failed attempts to call a model, by slice, model, class and UTC hour. Of a session the best source
-- counts that reported any; what was broken off is compared for itself, because some sources
-- report nothing else.
with failed as (
  select e.*, coalesce(e.error_class, '') = 'aborted' as is_aborted
  from counted as e
  where e.kind = 'model_error'
),
best as (
  select product, session_id, is_aborted, min(source_group) as source_group
  from failed
  group by product, session_id, is_aborted
),
sums as (
  select
    coalesce(s.user_id, e.user_id) as user_id,
    e.product,
    e.repo,
    e.team,
    coalesce(e.model, 'unknown') as model,
    coalesce(e.error_class, 'unknown') as error_class,
    cast(floor((e.ts % 86400000) / 3600000) as int) as hour,
    cast(sum(e.count) as bigint) as errors
  from failed as e
  inner join best as b
    on b.product = e.product
    and b.session_id = e.session_id
    and b.is_aborted = e.is_aborted
    and b.source_group = e.source_group
  left join irregular as s on s.product = e.product and s.session_id = e.session_id
  group by
    coalesce(s.user_id, e.user_id),
    e.product,
    e.repo,
    e.team,
    coalesce(e.model, 'unknown'),
    coalesce(e.error_class, 'unknown'),
    cast(floor((e.ts % 86400000) / 3600000) as int)
)
select slice, model, error_class, hour, errors
from sums
inner join slices using (user_id, product, repo, team)
