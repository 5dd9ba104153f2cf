; x: T as a parameter, x=None that may hold nothing, self.x: T, x = T(), self.x = T(), self.x = x, with T() as x
(typed_parameter . (identifier) @name type: (type) @type)
(typed_default_parameter name: (identifier) @name type: (type) @type)
(default_parameter name: (identifier) @name value: (none) @value)
(assignment left: [
  (identifier) @name
  (attribute object: (identifier) @of attribute: (identifier) @name)
] type: (type) @type)
(assignment left: [
  (identifier) @name
  (attribute object: (identifier) @of attribute: (identifier) @name)
] !type right: (_) @value)
(as_pattern (call) @value alias: (as_pattern_target (identifier) @name))
(function_definition name: (_) @name return_type: (_) @returns)
(function_definition name: (_) @name !return_type body: (block . (expression_statement (string) @returns)) (#match? @returns ":rtype:"))
(return_statement (_) @given)
