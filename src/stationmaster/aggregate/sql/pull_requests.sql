-- Pull requests by slice; one address counts once, for the first who reported it.
with found as (
  select
    coalesce(s.user_id, e.user_id) as user_id,
    e.product,
    e.repo,
    e.team,
    e.count,
    case
      when e.pr_url is null then 1
      else
        row_number() over (partition by e.pr_url order by e.ts, e.event_id_hi, e.event_id_lo)
    end as place
  from counted as e
  left join irregular as s on s.product = e.product and s.session_id = e.session_id
  where
    e.kind = 'git_pull_request'
    and coalesce(e.success, true)
    and (s.session_id is null or s.git_bit = 1 << e.source_group)
)
select slice, cast(sum(count) as bigint) as git_prs_created
from found
inner join slices using (user_id, product, repo, team)
where place = 1
group by slice
