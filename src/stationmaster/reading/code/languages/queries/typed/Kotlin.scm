; x: T as a parameter, a property or a variable; val x = T(), val x by lazy { T() }
(class_parameter (identifier) @name [(user_type) (nullable_type)] @type)
(parameter (identifier) @name [(user_type) (nullable_type)] @type)
(variable_declaration (identifier) @name [(user_type) (nullable_type)] @type)
(property_declaration (variable_declaration (identifier) @name .) (call_expression) @value)
(property_declaration (variable_declaration (identifier) @name .) (property_delegate (call_expression (identifier) @lazy (annotated_lambda (lambda_literal (call_expression) @value .)))) (#eq? @lazy "lazy"))
(for_statement (variable_declaration (identifier) @name .) . (_) @many)
(function_declaration name: (_) @name [(user_type) (nullable_type)] @returns)
