-- Failed attempts to call a model, by slice, model, class and UTC hour.
with attempts as (
  select
    slice,
    coalesce(model, 'unknown') as model,
    coalesce(error_class, 'unknown') as error_class,
    cast(floor((ts % 86400000) / 3600000) as int) as hour,
    count
  from other_events
  where kind = 'model_error'
)
select slice, model, error_class, hour, cast(sum(count) as bigint) as errors
from attempts
group by slice, model, error_class, hour
