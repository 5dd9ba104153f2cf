-- The sessions of which more than one source told something that reports count.
select product, root_session_id as session_id
from events
where
  root_session_id is not null
  and kind in (
    'model_call', 'tool_call', 'user_message', 'file_change', 'git_commit'
  )
group by product, root_session_id
having min(source) <> max(source)
