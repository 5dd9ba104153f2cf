-- One row for every event that arrived more than once, under one id or several that were matched.
-- The copy of the lowest rank wins, then the one with more output, of a counter's copies the one
-- with the larger figure, then the earlier; what it lacks is taken from the next. Of tokens the
-- largest figure counts, of those that their source calls estimates only where there are no others:
-- a source that saw a part takes nothing from one that saw all. A report that a tool was refused is
-- believed. Names that a vendor has redacted lose to real ones, users go by the evidence for
-- them, and quality is that of the copy with the outcome of a file. Output is too low where the
-- copy with the largest is marked so. The long order makes equal copies interchangeable.
with copies as (
  select
    e.*,
    case when e.quality like '%redacted_name%' then 1000000 else 0 end as redacted,
    1000000
    * case e.user_source
      when 'credential' then 1
      when 'email' then 2
      when 'account' then 3
      when 'resource' then 4
      when 'git_config' then 5
      when 'installation' then 6
      when 'key' then 7
      else 8
    end as evidence,
    not coalesce(e.quality like '%estimated%', false) as is_exact,
    row_number() over (
      partition by e.id_hi, e.id_lo
      order by
        e.source_rank,
        coalesce(e.output_tokens, 0) desc,
        case
          when e.is_aggregate
            then
              coalesce(e.input_tokens, 0)
              + coalesce(e.cache_read_tokens, 0)
              + coalesce(e.cache_write_tokens, 0)
              + e.count
          else 0
        end desc,
        e.ts,
        e.source_group,
        e.product,
        e.kind,
        e.root_session_id nulls last,
        e.user_id nulls last,
        e.user_source nulls last,
        e.is_subagent,
        e.is_auxiliary,
        e.is_aggregate,
        e.client nulls last,
        e.autonomy nulls last,
        e.model nulls last,
        e.model_tier nulls last,
        e.input_tokens nulls last,
        e.cache_read_tokens nulls last,
        e.cache_write_tokens nulls last,
        e.cache_write_1h_tokens nulls last,
        e.speed nulls last,
        e.service_tier nulls last,
        e.region nulls last,
        e.cost_usd nulls last,
        e.error_class nulls last,
        e.error_status nulls last,
        e.tool nulls last,
        e.tool_raw nulls last,
        e.tool_kind nulls last,
        e.tool_call_id nulls last,
        e.mcp_server nulls last,
        e.success nulls last,
        e.duration_ms nulls last,
        e.decision nulls last,
        e.skill nulls last,
        e.slash_command nulls last,
        e.hook_event nulls last,
        e.hook_matcher nulls last,
        e.hook_command nulls last,
        e.file_op nulls last,
        e.file_path_hash nulls last,
        e.file_ext nulls last,
        e.language nulls last,
        e.lines_added nulls last,
        e.lines_removed nulls last,
        e.branch nulls last,
        e.pr_url nulls last,
        e.repo nulls last,
        e.team nulls last,
        e.count,
        e.quality nulls last,
        e.source,
        e.installation nulls last
    ) as place
  from identified as e
  inner join repeated as r on r.event_id_hi = e.event_id_hi
)
select
  id_hi as event_id_hi,
  id_lo as event_id_lo,
  max(case when place = 1 then kind end) as kind,
  max(case when place = 1 then ts end) as ts,
  max(case when place = 1 then product end) as product,
  max(case when place = 1 then source_rank end) as source_rank,
  min(source_group) as source_group,
  min_by(user_id, case when user_id is not null then evidence + place end) as user_id,
  min_by(
    coalesce(user_source, 'unknown'), case when user_id is not null then evidence + place end
  ) as user_source,
  min_by(root_session_id, case when root_session_id is not null then place end) as root_session_id,
  max(is_subagent) as is_subagent,
  max(is_auxiliary) as is_auxiliary,
  min_by(is_aggregate, place) as is_aggregate,
  min_by(client, case when client is not null then place end) as client,
  min_by(autonomy, case when autonomy is not null then place end) as autonomy,
  min_by(model, case when model is not null then place end) as model,
  min_by(model_tier, case when model_tier is not null then place end) as model_tier,
  coalesce(max(case when is_exact then input_tokens end), max(input_tokens)) as input_tokens,
  coalesce(max(case when is_exact then output_tokens end), max(output_tokens)) as output_tokens,
  coalesce(max(case when is_exact then cache_read_tokens end), max(cache_read_tokens))
    as cache_read_tokens,
  coalesce(max(case when is_exact then cache_write_tokens end), max(cache_write_tokens))
    as cache_write_tokens,
  min_by(cache_write_1h_tokens, case when cache_write_1h_tokens is not null then place end)
    as cache_write_1h_tokens,
  min_by(speed, case when speed is not null then place end) as speed,
  min_by(service_tier, case when service_tier is not null then place end) as service_tier,
  min_by(region, case when region is not null then place end) as region,
  min_by(cost_usd, case when cost_usd is not null then place end) as cost_usd,
  min_by(error_class, case when error_class is not null then place end) as error_class,
  min_by(error_status, case when error_status is not null then place end) as error_status,
  min_by(tool, case when tool is not null then place + redacted end) as tool,
  min_by(tool_raw, case when tool_raw is not null then place + redacted end) as tool_raw,
  min_by(tool_kind, case when tool_kind is not null then place + redacted end) as tool_kind,
  min_by(tool_call_id, case when tool_call_id is not null then place end) as tool_call_id,
  min_by(mcp_server, case when mcp_server is not null then place + redacted end) as mcp_server,
  min_by(success, case when success is not null then place end) as success,
  min_by(duration_ms, case when duration_ms is not null then place end) as duration_ms,
  coalesce(
    max(case when decision = 'reject' then decision end),
    min_by(decision, case when decision is not null then place end)
  ) as decision,
  min_by(skill, case when skill is not null then place + redacted end) as skill,
  min_by(slash_command, case when slash_command is not null then place + redacted end)
    as slash_command,
  min_by(hook_event, case when hook_event is not null then place end) as hook_event,
  min_by(hook_matcher, case when hook_matcher is not null then place end) as hook_matcher,
  min_by(hook_command, case when hook_command is not null then place + redacted end)
    as hook_command,
  min_by(file_op, case when file_op is not null then place end) as file_op,
  min_by(file_path_hash, case when file_path_hash is not null then place end) as file_path_hash,
  min_by(file_ext, case when file_ext is not null then place end) as file_ext,
  min_by(language, case when language is not null then place end) as language,
  min_by(lines_added, case when lines_added is not null then place end) as lines_added,
  min_by(lines_removed, case when lines_removed is not null then place end) as lines_removed,
  min_by(branch, case when branch is not null then place end) as branch,
  min_by(pr_url, case when pr_url is not null then place end) as pr_url,
  min_by(repo, case when repo is not null then place end) as repo,
  min_by(team, case when team is not null then place end) as team,
  max(case when place = 1 then count end) as count,
  concat(
    replace(
      coalesce(
        min_by(
          coalesce(quality, ''),
          case when file_op is not null or kind <> 'file_change' then place end
        ),
        ''
      ),
      'output_lower_bound',
      ''
    ),
    case
      when
        max(case when quality like '%output_lower_bound%' then output_tokens end)
        > coalesce(
          max(
            case
              when not coalesce(quality like '%output_lower_bound%', false) then output_tokens
            end
          ),
          -1
        )
        then ',output_lower_bound'
      else ''
    end
  ) as quality,
  min(case when place = 1 then source end) as source,
  min_by(installation, case when installation is not null then place end) as installation
from copies
group by id_hi, id_lo
