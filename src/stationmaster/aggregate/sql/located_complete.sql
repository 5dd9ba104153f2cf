-- Every event with its repository and team, where sessions have no more than their events.
select e.*, coalesce(e.repo, 'unknown') as its_repo, coalesce(e.known_team, 'unknown') as its_team
from placed as e
