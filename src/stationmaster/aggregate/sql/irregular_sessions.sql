-- The sessions whose events need more than themselves to be counted. All other events count as
-- they are, which keeps the large scans free of work.
select product, session_id, user_id, is_auxiliary
from sessions
where is_irregular
