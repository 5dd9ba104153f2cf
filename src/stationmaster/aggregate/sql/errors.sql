-- Failed attempts to call a model, by slice, model, class and UTC hour.
with sums as (
  select
    coalesce(s.user_id, e.user_id) as user_id,
    e.product,
    e.repo,
    e.team,
    coalesce(e.model, 'unknown') as model,
    coalesce(e.error_class, 'unknown') as error_class,
    cast(floor((e.ts % 86400000) / 3600000) as int) as hour,
    cast(sum(e.count) as bigint) as errors
  from counted as e
  left join irregular as s on s.product = e.product and s.session_id = e.session_id
  where e.kind = 'model_error'
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
