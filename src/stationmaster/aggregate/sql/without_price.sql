-- Calls without a price by slice and model, and by which prices are missing: the names of their
-- counters, each with a comma after it.
select
  t.slice,
  coalesce(r.model, 'unknown') as model,
  concat(
    case when r.lacks_input and t.input_tokens > 0 then 'input,' else '' end,
    case when r.lacks_output and t.output_tokens > 0 then 'output,' else '' end,
    case when r.lacks_cache_read and t.cache_read_tokens > 0 then 'cache_read,' else '' end,
    case
      when r.lacks_cache_write and t.cache_write_tokens > t.cache_write_1h_tokens
        then 'cache_write,'
      else ''
    end,
    case
      when r.lacks_cache_write_1h and t.cache_write_1h_tokens > 0 then 'cache_write_1h,' else ''
    end
  ) as missing,
  cast(sum(t.calls) as bigint) as calls,
  cast(sum(t.billable_tokens) as bigint) as billable_tokens,
  cast(sum(t.input_tokens) as bigint) as input_tokens,
  cast(sum(t.output_tokens) as bigint) as output_tokens,
  cast(sum(t.cache_read_tokens) as bigint) as cache_read_tokens,
  cast(sum(t.cache_write_tokens) as bigint) as cache_write_tokens
from usage as t
inner join rates as r on r.number = t.number
where t.is_unpriced
group by t.slice, coalesce(r.model, 'unknown'), missing
