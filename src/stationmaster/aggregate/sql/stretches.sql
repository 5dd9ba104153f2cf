-- From when to when a session was in which repository and team, where any of its events says so.
-- What came first holds for what was before it; of what is said at one time the first event counts.
with said as (
  select product, top_session, 'repo' as what, repo as value, ts, event_id_hi, event_id_lo
  from placed
  where repo is not null and not is_loose
  union all
  select product, top_session, 'team' as what, team as value, ts, event_id_hi, event_id_lo
  from placed
  where team is not null and not is_loose
),
ranked as (
  select
    *,
    row_number() over (
      partition by what, product, top_session, ts order by event_id_hi, event_id_lo
    ) as place
  from said
),
moves as (
  select
    what,
    product,
    top_session,
    value,
    ts,
    lag(value) over (partition by what, product, top_session order by ts) as value_before
  from ranked
  where place = 1
)
select
  what,
  product,
  top_session,
  value,
  case when value_before is null then 0 else ts end as starts_at,
  coalesce(
    lead(ts) over (partition by what, product, top_session order by ts), 9223372036854775807
  ) as ends_at
from moves
where value_before is null or value_before <> value
