-- What people and settings decided about edits, and lines that were changed, by slice, language and
-- UTC hour.
with told as (
  select
    coalesce(s.user_id, e.user_id) as user_id,
    e.product,
    e.repo,
    e.team,
    coalesce(e.language, '') as language,
    cast(floor((e.ts % 86400000) / 3600000) as int) as hour,
    e.decision,
    case when e.kind = 'tool_call' then e.count else 0 end as calls,
    case when e.kind = 'file_change' then coalesce(e.lines_added, 0) else 0 end as lines_added,
    case when e.kind = 'file_change' then coalesce(e.lines_removed, 0) else 0 end as lines_removed
  from counted as e
  left join irregular as s on s.product = e.product and s.session_id = e.session_id
  where
    (
      e.kind = 'tool_call'
      and e.tool in ('edit', 'write')
    )
    or (
      e.kind = 'file_change'
      and coalesce(e.success, true)
      and (e.lines_added is not null or e.lines_removed is not null)
    )
),
sums as (
  select
    user_id,
    product,
    repo,
    team,
    language,
    hour,
    cast(sum(case when decision = 'accept' then calls else 0 end) as bigint) as accepted,
    cast(sum(case when decision = 'reject' then calls else 0 end) as bigint) as rejected,
    cast(sum(case when decision is null then calls else 0 end) as bigint) as undecided,
    cast(sum(lines_added) as bigint) as lines_added,
    cast(sum(lines_removed) as bigint) as lines_removed
  from told
  group by user_id, product, repo, team, language, hour
)
select
  slice,
  language,
  hour,
  accepted,
  rejected,
  undecided,
  lines_added,
  lines_removed
from sums
inner join slices using (user_id, product, repo, team)
