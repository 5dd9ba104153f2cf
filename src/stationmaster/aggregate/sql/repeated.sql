-- High halves of event ids that occur more than once; a chance collision of halves is harmless,
-- because merged.sql compares whole ids. Ranking finds repeats faster than counting groups.
select distinct event_id_hi
from (
  select
    event_id_hi,
    row_number() over (partition by event_id_hi order by event_id_hi) as occurrence
  from events
) as occurrences
where occurrence = 2
