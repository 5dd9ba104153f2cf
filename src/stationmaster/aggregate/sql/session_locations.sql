-- What the events of each session report of its repository and team. Most sessions never move, and
-- are decided by this alone.
select
  product,
  top_session,
  count(*) as events,
  count(repo) as repos,
  min(repo) as lowest_repo,
  max(repo) as highest_repo,
  count(known_team) as teams,
  min(known_team) as lowest_team,
  max(known_team) as highest_team
from placed
where not is_loose
group by product, top_session
