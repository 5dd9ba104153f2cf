-- From when to when a session was on which branch, as its events report. The first value holds for
-- what was before it; of values of the same time that of the first event counts.
with ranges as (
  select product, session_id, min(branch) as lowest, max(branch) as highest
  from counted
  where branch is not null and not is_loose
  group by product, session_id
),
stated as (
  select
    e.product,
    e.session_id,
    e.branch,
    e.ts,
    row_number() over (
      partition by e.product, e.session_id, e.ts order by e.event_id_hi, e.event_id_lo
    ) as place
  from counted as e
  inner join ranges as r on r.product = e.product and r.session_id = e.session_id
  where r.lowest <> r.highest and e.branch is not null
),
moves as (
  select
    product,
    session_id,
    branch,
    ts,
    lag(branch) over (partition by product, session_id order by ts) as branch_before
  from stated
  where place = 1
)
select
  product,
  session_id,
  branch,
  case when branch_before is null then 0 else ts end as starts_at,
  coalesce(
    lead(ts) over (partition by product, session_id order by ts), 9223372036854775807
  ) as ends_at
from moves
where branch_before is null or branch_before <> branch
union all
select product, session_id, lowest as branch, 0 as starts_at, 9223372036854775807 as ends_at
from ranges
where lowest = highest
