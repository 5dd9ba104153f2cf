-- Sessions and families of events (kinds; a command is a message for sources that do not
-- distinguish them) of which no source reported everything. Where one did, all others reported the
-- same events under the same ids, and there is nothing to match and nothing to choose.
with identified as (
  select
    s.number,
    case when e.kind = 'slash_command' then 'user_message' else e.kind end as family,
    e.event_id_hi,
    e.event_id_lo,
    bit_or(b.bit) as sources
  from events as e
  inner join multi_source_sessions as s on s.product = e.product and s.session_id = e.root_session_id
  inner join source_bits as b on b.source = e.source
  where
    s.is_contested
    and not e.is_aggregate
    and e.kind not in ('session_start', 'session_end', 'mode_change', 'session_context')
  group by
    s.number,
    case when e.kind = 'slash_command' then 'user_message' else e.kind end,
    e.event_id_hi,
    e.event_id_lo
),
families as (
  select number, family
  from identified
  group by number, family
  having bit_and(sources) = 0
)
select s.product, s.session_id, f.family, f.number
from families as f
inner join multi_source_sessions as s on s.number = f.number
