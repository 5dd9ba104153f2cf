; What TypeScript adds to JavaScript
(class_body (public_field_definition name: (_) @name) @field)
(abstract_class_declaration name: (_) @name body: (_) @body) @class
(class_body (abstract_method_signature name: (_) @name) @method)
(function_signature name: (_) @name) @function
(interface_declaration name: (_) @name body: (_) @body) @interface
(type_alias_declaration name: (_) @name value: (_) @body) @type
(enum_declaration name: (_) @name body: (_) @body) @enum
(internal_module name: (_) @name body: (_) @body) @module
(required_parameter pattern: (identifier) @parameter type: (type_annotation (_) @annotation))
(variable_declarator type: (type_annotation (_) @annotation) value: (arrow_function
  parameters: (formal_parameters . (required_parameter pattern: (identifier) @parameter !type))))
