-- The models of the day by tier, to be priced; either may be null.
select distinct model, model_tier
from counted
where kind = 'model_call'
