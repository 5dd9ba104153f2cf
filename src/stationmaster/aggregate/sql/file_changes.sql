-- Files created and edited, by slice, extension and language. Deleted files are in neither.
with changes as (
  select
    coalesce(s.user_id, e.user_id) as user_id,
    e.product,
    e.repo,
    e.team,
    coalesce(e.file_ext, '') as extension,
    coalesce(e.language, '') as language,
    cast(sum(case when e.file_op = 'created' and r.event_id_hi is null then e.count else 0 end) as bigint) as created,
    cast(sum(case when e.file_op = 'created' and r.event_id_hi is null then 0 else e.count end) as bigint) as edited
  from counted as e
  left join irregular as s on s.product = e.product and s.session_id = e.session_id
  left join replaced as r on r.event_id_hi = e.event_id_hi and r.event_id_lo = e.event_id_lo
  where
    e.kind = 'file_change'
    and e.file_op in ('created', 'edited')
    and coalesce(e.success, true)
  group by
    coalesce(s.user_id, e.user_id),
    e.product,
    e.repo,
    e.team,
    coalesce(e.file_ext, ''),
    coalesce(e.language, '')
)
select slice, extension, language, created, edited
from changes
inner join slices using (user_id, product, repo, team)
