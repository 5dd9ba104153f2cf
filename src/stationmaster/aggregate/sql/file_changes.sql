-- Files created and edited, by slice, extension and language. Deleted files are in neither.
with changes as (
  select
    e.slice,
    coalesce(e.file_ext, '') as extension,
    coalesce(e.language, '') as language,
    e.file_op = 'created' and r.event_id_hi is null as is_created,
    e.count
  from other_events as e
  left join replaced as r on r.event_id_hi = e.event_id_hi and r.event_id_lo = e.event_id_lo
  where
    e.kind = 'file_change'
    and e.file_op in ('created', 'edited')
    and coalesce(e.success, true)
)
select
  slice,
  extension,
  language,
  cast(sum(case when is_created then count else 0 end) as bigint) as created,
  cast(sum(case when is_created then 0 else count end) as bigint) as edited
from changes
group by slice, extension, language
