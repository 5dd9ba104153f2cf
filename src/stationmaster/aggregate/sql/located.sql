-- Every event with its repository and team: its own, or else those of its session.
select
  e.*,
  coalesce(e.repo, r.value, 'unknown') as its_repo,
  coalesce(e.known_team, t.value, 'unknown') as its_team
from placed as e
left join location_ranges as r
  on r.what = 'repo'
  and e.repo is null
  and r.product = e.product
  and r.top_session = e.top_session
  and e.ts >= r.starts_at
  and e.ts < r.ends_at
left join location_ranges as t
  on t.what = 'team'
  and e.known_team is null
  and t.product = e.product
  and t.top_session = e.top_session
  and e.ts >= t.starts_at
  and e.ts < t.ends_at
