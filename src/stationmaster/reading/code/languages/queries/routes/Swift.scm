; What routers are kept in, given to and called on
(parameter) @parameter
(property_declaration name: (pattern) @left value: (call_expression) @right) @bind
(lambda_literal) @closure
(call_expression) @call
