-- The models of the day, to be priced; one of them may be null.
select distinct model
from counted
where kind = 'model_call'
