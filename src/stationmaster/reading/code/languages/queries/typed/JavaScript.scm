; x = new T(), this.x = new T(), this.x = x
(field_definition property: (_) @name value: (_) @value)
(variable_declarator name: (identifier) @name value: (_) @value)
(assignment_expression left: [
  (identifier) @name
  (member_expression object: (this) @of property: (_) @name)
] right: (_) @value)
