-- What people and settings decided about edits, and lines that were changed, by slice, language and
-- UTC hour.
with changes as (
  select
    slice,
    language,
    hour,
    case when is_accepted then count else 0 end as accepted,
    case when is_refused then count else 0 end as rejected,
    case when is_undecided then count else 0 end as undecided,
    cast(0 as bigint) as lines_added,
    cast(0 as bigint) as lines_removed
  from tool_calls
  where language is not null
  union all
  select
    slice,
    coalesce(language, '') as language,
    cast(floor((ts % 86400000) / 3600000) as int) as hour,
    cast(0 as bigint) as accepted,
    cast(0 as bigint) as rejected,
    cast(0 as bigint) as undecided,
    coalesce(lines_added, 0) as lines_added,
    coalesce(lines_removed, 0) as lines_removed
  from other_events
  where
    kind = 'file_change'
    and coalesce(success, true)
    and (lines_added is not null or lines_removed is not null)
)
select
  slice,
  language,
  hour,
  cast(sum(accepted) as bigint) as accepted,
  cast(sum(rejected) as bigint) as rejected,
  cast(sum(undecided) as bigint) as undecided,
  cast(sum(lines_added) as bigint) as lines_added,
  cast(sum(lines_removed) as bigint) as lines_removed
from changes
group by slice, language, hour
