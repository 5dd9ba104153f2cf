-- The models of the day, to be priced.
select distinct coalesce(model, 'unknown') as model
from counted
where kind = 'model_call'
