-- From when to when a session was in which repository and team, where some of its events report it
-- and some do not. The first value holds for what was before it; of values of the same time that of
-- the first event counts.
with gaps as (
  select product, top_session, 'repo' as what, lowest_repo as lowest, highest_repo as highest
  from session_locations
  where repos > 0 and repos < events
  union all
  select product, top_session, 'team' as what, lowest_team as lowest, highest_team as highest
  from session_locations
  where teams > 0 and teams < events
),
stated as (
  select
    g.what,
    e.product,
    e.top_session,
    case g.what when 'repo' then e.repo else e.known_team end as value,
    e.ts,
    e.event_id_hi,
    e.event_id_lo
  from placed as e
  inner join gaps as g on g.product = e.product and g.top_session = e.top_session
  where g.lowest <> g.highest
),
ranked as (
  select
    *,
    row_number() over (
      partition by what, product, top_session, ts order by event_id_hi, event_id_lo
    ) as place
  from stated
  where value is not null
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
union all
select what, product, top_session, lowest, 0, 9223372036854775807
from gaps
where lowest = highest
