; What routers are kept in
(parameter type: (_) @type name: (_) @name) @node
(property_declaration type: (_) @type name: (_) @name) @node
(field_declaration (variable_declaration type: (_) @type (variable_declarator name: (_) @name)) @node)
(local_declaration_statement
  (variable_declaration type: (_) @type (variable_declarator name: (_) @name)) @node)
(variable_declarator name: (_) @left (invocation_expression) @right) @node
(assignment_expression left: (_) @left right: (invocation_expression) @right) @node
