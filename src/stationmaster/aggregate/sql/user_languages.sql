-- The languages of every user.
select distinct user_id, language
from file_changes
where language <> ''
order by user_id, language
