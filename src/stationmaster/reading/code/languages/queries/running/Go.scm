; Functions, methods and structs at top level
(source_file (function_declaration name: (_) @function parameters: (_) @parameters) @whole)
(source_file (method_declaration name: (_) @method) @whole)
(source_file (type_declaration
  (type_spec name: (_) @type type: (struct_type (field_declaration_list) @fields)) @whole))
; What is waited for: <-t.C, for range t.C; what runs beside: go f()
(unary_expression operator: "<-" operand: (_) @waited)
(range_clause right: (_) @waited)
(go_statement (call_expression function: (_) @started))
