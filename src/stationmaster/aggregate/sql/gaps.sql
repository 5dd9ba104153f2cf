-- How many events there are, and how many of them name their session, user, repository and team.
select
  count(*) as events,
  count(root_session_id) as sessions,
  count(user_id) as users,
  count(repo) as repos,
  count(person_team) as teams
from attributed
