-- High halves of all ids that occur more than once or that were matched: see repeated.sql.
select distinct event_id_hi
from (
  select
    event_id_hi,
    row_number() over (partition by event_id_hi order by event_id_hi) as occurrence
  from events
  union all
  select event_id_hi, 2 as occurrence from matched_ids
  union all
  select unit_hi as event_id_hi, 2 as occurrence from matched_ids
) as occurrences
where occurrence = 2
