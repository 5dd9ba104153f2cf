; What routers are kept in and given to
(short_var_declaration
  left: (expression_list . (_) @left) right: (expression_list . (_) @right)) @node
(assignment_statement
  left: (expression_list . (_) @left) right: (expression_list . (_) @right)) @node
(var_spec name: (identifier) @left value: (expression_list . (_) @right)) @node
(parameter_declaration name: (identifier) @name type: (_) @type) @node
(field_declaration name: (field_identifier) @name type: (_) @type) @field
(return_statement (expression_list . [
  (identifier) @name
  (call_expression arguments: (argument_list (identifier) @name))
])) @return
(composite_literal body: (literal_value (keyed_element))) @literal
; A struct that is a router itself: struct { *httprouter.Router }
(type_spec name: (_) @holder
  type: (struct_type (field_declaration_list (field_declaration !name type: (_) @embedded))))
