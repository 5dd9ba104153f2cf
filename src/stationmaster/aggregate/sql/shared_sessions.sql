-- Who has a part in the sessions of a person who is known only by an installation or an account, as
-- far as either is sure: the better ones may identify the person. A session to which a call of the
-- gateway was assigned by its figures identifies no one.
with pseudonymous as (
  select distinct product, root_session_id
  from events
  where user_source in ('installation', 'account') and root_session_id is not null
)
select
  e.product,
  e.root_session_id as session_id,
  e.user_id,
  e.user_source,
  min(e.user_email) as email
from events as e
inner join pseudonymous as p
  on p.product = e.product and p.root_session_id = e.root_session_id
where
  e.user_source in ('credential', 'email', 'installation', 'account')
  and e.user_id is not null
  and (e.source <> 'gateway' or e.session_id is not null)
group by e.product, e.root_session_id, e.user_id, e.user_source
