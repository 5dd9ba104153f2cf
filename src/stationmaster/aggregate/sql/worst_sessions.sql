-- The sessions that differ most, of each source and figure; of equal ones the first by name.
select product, source, figure, session_id, told, counted
from (
  select
    c.*,
    row_number() over (
      partition by product, source, figure order by difference desc, session_id
    ) as place
  from compared as c
  where difference <> 0
) as ranked
where place <= 3
