; T $x as a parameter or a property; $x = new T(), $this->x = $x
(property_declaration type: (_) @type (property_element name: (variable_name (name) @name)))
(property_promotion_parameter visibility: (_) @of type: (_) @type name: (variable_name (name) @name))
(simple_parameter type: (_) @type name: (variable_name (name) @name))
(assignment_expression left: [
  (variable_name (name) @name)
  (member_access_expression object: (variable_name) @of name: (name) @name)
] right: (_) @value)
(method_declaration name: (_) @name return_type: (_) @returns)
(function_definition name: (_) @name return_type: (_) @returns)
(return_statement (_) @given)
