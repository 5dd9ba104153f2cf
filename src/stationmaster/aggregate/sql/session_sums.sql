-- One row per session that counts as one: where it began, when it was at work, and what it came to
-- besides its model calls and tools. The branch is the last one that it was on. `sources` has a bit
-- for every source that counted, in the order of `aggregate.session_rows.SOURCES`.
with sums as (
  select
    product,
    session_id,
    coalesce(min(case when not is_aggregate then ts end), min(ts)) as started_at,
    coalesce(max(case when not is_aggregate then ts end), max(ts)) as ended_at,
    bit_or(
      case source
        when 'otlp_logs' then 1
        when 'otlp_traces' then 2
        when 'otlp_metrics' then 4
        when 'transcript' then 8
        when 'store_db' then 16
        when 'sidecar' then 32
        when 'hook' then 64
        when 'hook_special' then 128
        when 'stream_json' then 256
        when 'gateway' then 512
        else 0
      end
    ) as sources,
    max(installation) as installation,
    sum(case when kind = 'user_message' and not is_auxiliary then count else 0 end)
      as user_messages,
    sum(case when kind = 'model_error' then count else 0 end) as model_errors,
    sum(
      case
        when kind = 'file_change' and file_op in ('created', 'edited') and coalesce(success, true)
          then count
        else 0
      end
    ) as files_changed,
    sum(case when kind = 'file_change' and coalesce(success, true) then lines_added end)
      as lines_added,
    sum(case when kind = 'file_change' and coalesce(success, true) then lines_removed end)
      as lines_removed,
    sum(case when kind = 'git_commit' and coalesce(success, true) then count else 0 end)
      as git_commits
  from counted
  where
    not is_loose
    and kind not in ('left_out', 'session_start', 'session_end', 'session_context', 'mode_change')
  group by product, session_id
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
places as (
  select
    product,
    session_id,
    repo,
    team,
    row_number() over (partition by product, session_id order by since, repo, team) as place
  from seen
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
  s.user_id,
  s.client,
  p.repo,
  p.team,
  b.branch,
  t.started_at,
  t.ended_at,
  t.sources,
  t.installation,
  cast(t.user_messages as bigint) as user_messages,
  cast(t.model_errors as bigint) as model_errors,
  cast(t.files_changed as bigint) as files_changed,
  cast(coalesce(t.lines_added, 0) as bigint) as lines_added,
  cast(coalesce(t.lines_removed, 0) as bigint) as lines_removed,
  cast(t.git_commits as bigint) as git_commits,
  cast(coalesce(g.git_prs_created, 0) as bigint) as git_prs_created
from sums as t
inner join sessions as s on s.product = t.product and s.session_id = t.session_id
inner join places as p
  on p.product = t.product and p.session_id = t.session_id and p.place = 1
left join latest as b
  on b.product = t.product and b.session_id = t.session_id and b.place = 1
left join pulls as g on g.product = t.product and g.session_id = t.session_id
where s.is_active
