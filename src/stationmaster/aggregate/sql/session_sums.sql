-- One row per session that counts as one: where it began, when it was at work, and its sums other
-- than of model calls and tools. The branch is the last one that it was on. `sources` is that of
-- session_activity.sql.
with times as (
  select
    product,
    session_id,
    coalesce(min(first_event), min(first_sum)) as started_at,
    coalesce(max(last_event), max(last_sum)) as ended_at,
    bit_or(sources) as sources,
    max(installation) as installation
  from session_activity
  where not is_loose
  group by product, session_id
),
sums as (
  select
    session,
    sum(user_messages) as user_messages,
    sum(model_errors) as model_errors,
    sum(files_changed) as files_changed,
    sum(lines_added) as lines_added,
    sum(lines_removed) as lines_removed,
    sum(git_commits) as git_commits
  from work
  group by session
),
-- One address is one pull request, however often it is reported.
pulls as (
  select
    product,
    session_id,
    count(distinct pr_url) + sum(case when pr_url is null then count else 0 end)
      as git_prs_created
  from counted
  where kind = 'git_pull_request' and not is_loose and coalesce(success, true)
  group by product, session_id
),
first_places as (
  select
    product,
    session_id,
    repo,
    team,
    row_number() over (partition by product, session_id order by since, repo, team) as place
  from session_activity
  where not is_loose
),
latest as (
  select
    product,
    session_id,
    branch,
    row_number() over (partition by product, session_id order by starts_at desc) as place
  from branches
)
select
  t.product,
  t.session_id,
  s.number as session,
  s.user_id,
  s.client,
  p.repo,
  p.team,
  b.branch,
  t.started_at,
  t.ended_at,
  t.sources,
  t.installation,
  cast(coalesce(w.user_messages, 0) as bigint) as user_messages,
  cast(coalesce(w.model_errors, 0) as bigint) as model_errors,
  cast(coalesce(w.files_changed, 0) as bigint) as files_changed,
  cast(coalesce(w.lines_added, 0) as bigint) as lines_added,
  cast(coalesce(w.lines_removed, 0) as bigint) as lines_removed,
  cast(coalesce(w.git_commits, 0) as bigint) as git_commits,
  cast(coalesce(g.git_prs_created, 0) as bigint) as git_prs_created
from times as t
inner join sessions as s on s.product = t.product and s.session_id = t.session_id
left join sums as w on w.session = s.number
inner join first_places as p
  on p.product = t.product and p.session_id = t.session_id and p.place = 1
left join latest as b
  on b.product = t.product and b.session_id = t.session_id and b.place = 1
left join pulls as g on g.product = t.product and g.session_id = t.session_id
where s.is_active and t.started_at is not null
