-- Every user's model calls, in the order of the breakdown.
select *
from tokens
order by user_id, billable_tokens desc, model
