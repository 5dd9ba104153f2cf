-- The sessions of which more than one source reported something that reports count, numbered.
-- `is_contested` where sources other than counters did: then events may be there twice.
select
  product,
  root_session_id as session_id,
  coalesce(
    min(case when not is_aggregate then source end)
    <> max(case when not is_aggregate then source end),
    false
  ) as is_contested,
  row_number() over (order by product, root_session_id) as number
from events
where
  root_session_id is not null
  and product in (select product from products where has_several)
  and kind not in ('session_start', 'session_end', 'mode_change', 'session_context')
group by product, root_session_id
having min(source) <> max(source)
