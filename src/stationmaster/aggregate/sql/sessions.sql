-- One row per session: whose it is, its client, and for every family the bit of the one source
-- group that counts (the lowest seen; 0: nothing counts). A counter without a session counts only
-- where nothing else of that user, product and family was seen.
with united as (
  select
    product,
    session_id,
    is_loose,
    min(user_id) as only_user,
    min(user_id) <> max(user_id) as has_several_users,
    bit_or(seen) as seen
  from seen
  group by product, session_id, is_loose
),
known as (
  select
    t.product,
    t.session_id,
    t.is_loose,
    coalesce(u.user_id, t.only_user) as user_id,
    coalesce(
      c.client,
      case t.seen >> 51 when 2 then 'web' when 4 then 'non-interactive-cli' else 'terminal-ui' end
    ) as client,
    t.has_several_users,
    t.seen,
    (t.seen & (cast(1 as bigint) << 50)) <> 0 as is_auxiliary
  from united as t
  left join session_users as u on u.product = t.product and u.session_id = t.session_id
  left join session_clients as c on c.product = t.product and c.session_id = t.session_id
),
elsewhere as (
  select product, user_id, bit_or(seen) as seen
  from known
  where not is_loose
  group by product, user_id
),
families as (
  select
    k.*,
    (k.seen >> 0) & 63 as tokens,
    (k.seen >> 6) & 63 as tools,
    (k.seen >> 12) & 63 as conversation,
    (k.seen >> 18) & 63 as files,
    (k.seen >> 24) & 63 as git,
    (k.seen >> 30) & 63 as skills,
    (k.seen >> 36) & 63 as commands,
    (k.seen >> 42) & 63 as hooks,
    case when k.is_loose then coalesce(o.seen, 0) else cast(0 as bigint) end as others
  from known as k
  left join elsewhere as o on o.product = k.product and o.user_id = k.user_id
)
select
  product,
  session_id,
  is_loose,
  user_id,
  client,
  is_auxiliary,
  case when tokens = 32 and ((others >> 0) & 63) <> 0 then 0 else tokens & -tokens end
    as tokens_bit,
  case when tools = 32 and ((others >> 6) & 63) <> 0 then 0 else tools & -tools end
    as tools_bit,
  case when conversation = 32 and ((others >> 12) & 63) <> 0 then 0 else conversation & -conversation end
    as conversation_bit,
  case when files = 32 and ((others >> 18) & 63) <> 0 then 0 else files & -files end
    as files_bit,
  case when git = 32 and ((others >> 24) & 63) <> 0 then 0 else git & -git end
    as git_bit,
  case when skills = 32 and ((others >> 30) & 63) <> 0 then 0 else skills & -skills end
    as skills_bit,
  case when commands = 32 and ((others >> 36) & 63) <> 0 then 0 else commands & -commands end
    as commands_bit,
  case when hooks = 32 and ((others >> 42) & 63) <> 0 then 0 else hooks & -hooks end
    as hooks_bit,
  not is_loose and not is_auxiliary and (seen & (cast(3 as bigint) << 48)) <> 0 as is_active,
  is_loose
  or is_auxiliary
  or has_several_users
  or (tokens & (tokens - 1)) <> 0
  or (tools & (tools - 1)) <> 0
  or (conversation & (conversation - 1)) <> 0
  or (files & (files - 1)) <> 0
  or (git & (git - 1)) <> 0
  or (skills & (skills - 1)) <> 0
  or (commands & (commands - 1)) <> 0
  or (hooks & (hooks - 1)) <> 0 as is_irregular
from families
