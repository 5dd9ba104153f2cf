-- Which users the events of an installation or an account name, and on what evidence.
select
  product,
  user_id,
  user_source,
  installation,
  account,
  min(user_email) as email
from events
where user_id is not null and (installation is not null or account is not null)
group by product, user_id, user_source, installation, account
