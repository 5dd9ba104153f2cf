-- An address for every user that is no member.
select e.user_id, min(e.user_email) as email
from events as e
where
  e.user_email is not null
  and not exists (select 1 from members as m where m.user_id = e.user_id)
group by e.user_id
