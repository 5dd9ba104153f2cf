-- The sessions with a message, a tool call or a model call, each with its user and client.
select concat(product, '/', session_id) as session_id, user_id, client
from sessions
where is_active
