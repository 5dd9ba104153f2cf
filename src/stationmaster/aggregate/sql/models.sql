-- What the model calls of the day are priced by; any of it may be null.
select distinct model, model_tier, region, speed, service_tier
from counted
where kind = 'model_call'
