; What routers are kept in
(parameter name: (simple_identifier) @name name: (_) @type) @node
(property_declaration name: (pattern) @left value: (call_expression) @right) @node
