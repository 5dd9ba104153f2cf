-- The events that may count with their slice and the number of their session.
select e.*, p.slice, p.session, p.is_helper
from counted as e
inner join places as p
  on p.product = e.product
  and p.session_id = e.session_id
  and p.is_loose = e.is_loose
  and p.user_id = e.user_id
  and p.repo = e.repo
  and p.team = e.team
