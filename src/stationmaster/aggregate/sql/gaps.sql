-- How many events there are, and how many of them name their repository and their team.
select count(*) as events, count(repo) as repos, count(known_team) as teams
from placed
