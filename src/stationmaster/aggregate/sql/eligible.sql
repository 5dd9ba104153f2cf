-- Every event, those that lost to a better source as a kind that nothing counts.
select e.*, case when l.event_id_hi is null then e.kind else 'left_out' end as its_kind
from located as e
left join left_out_units as l on l.event_id_hi = e.event_id_hi and l.event_id_lo = e.event_id_lo
