; What routers are kept in, given to and called on
(short_var_declaration left: (_) @left right: (_) @right) @bind
(assignment_statement left: (_) @left right: (_) @right) @bind
(var_spec name: (identifier) @left value: (_) @right) @bind
(parameter_declaration name: (identifier) @name type: (_) @type) @parameter
(field_declaration name: (field_identifier) @name type: (_) @type) @field
(return_statement (expression_list . [
  (identifier) @name
  (call_expression arguments: (argument_list (identifier) @name))
])) @return
