; x: T, this.x: T, x = new T(), this.x = new T(), this.x = x
(required_parameter (accessibility_modifier) @of pattern: (identifier) @name type: (type_annotation (_) @type))
(required_parameter "readonly" @of pattern: (identifier) @name type: (type_annotation (_) @type))
(required_parameter pattern: (identifier) @name type: (type_annotation (_) @type))
(optional_parameter pattern: (identifier) @name type: (type_annotation (_) @type))
(public_field_definition name: (_) @name type: (type_annotation (_) @type))
(property_signature name: (_) @name type: (type_annotation (_) @type))
(public_field_definition name: (_) @name !type value: (_) @value)
(variable_declarator name: (identifier) @name type: (type_annotation (_) @type))
(variable_declarator name: (identifier) @name !type value: (_) @value)
(assignment_expression left: [
  (identifier) @name
  (member_expression object: (this) @of property: (_) @name)
] right: (_) @value)
(function_declaration name: (_) @name return_type: (type_annotation (_) @returns))
(method_definition name: (_) @name return_type: (type_annotation (_) @returns))
(method_signature name: (_) @name return_type: (type_annotation (_) @returns))
