-- Every event with what counts of it, where all of it does.
select
  *,
  its_kind as counted_kind,
  input_tokens as counted_input,
  output_tokens as counted_output,
  cache_read_tokens as counted_cache_read,
  cache_write_tokens as counted_cache_write,
  count as counted_amount
from eligible
