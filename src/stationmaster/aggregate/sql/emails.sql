-- An address for every user whose events carry one.
select user_id, min(user_email) as email
from events
where user_email is not null
group by user_id
