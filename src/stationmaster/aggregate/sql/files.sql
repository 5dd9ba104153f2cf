-- Files by user.
select
  user_id,
  cast(sum(created) as bigint) as created,
  cast(sum(edited) as bigint) as edited
from file_changes
group by user_id
