-- An address for every user whose events carry one, by agent.
select product, user_id, min(user_email) as email
from events
where user_email is not null
group by product, user_id
