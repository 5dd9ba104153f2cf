-- Commits and pull requests by slice, branch and UTC hour; one address of a pull request counts
-- once, for the first who reported it.
with found as (
  select
    e.slice,
    coalesce(e.branch, b.branch) as branch,
    cast(floor((e.ts % 86400000) / 3600000) as int) as hour,
    e.kind,
    e.count,
    case
      when e.kind = 'git_commit' or e.pr_url is null then 1
      else
        row_number() over (partition by e.kind, e.pr_url order by e.ts, e.event_id_hi, e.event_id_lo)
    end as place
  from other_events as e
  left join branches as b
    on e.branch is null
    and b.product = e.product
    and b.session_id = e.session_id
    and e.ts >= b.starts_at
    and e.ts < b.ends_at
  where
    e.kind in ('git_commit', 'git_pull_request')
    and coalesce(e.success, true)
)
select
  slice,
  branch,
  hour,
  cast(sum(case when kind = 'git_commit' then count else 0 end) as bigint) as git_commits,
  cast(sum(case when kind = 'git_commit' then 0 else count end) as bigint) as git_prs_created
from found
where place = 1
group by slice, branch, hour
