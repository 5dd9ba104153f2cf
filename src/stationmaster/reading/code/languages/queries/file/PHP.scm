; What is asked of every file
(namespace_definition name: (_) @package)
(namespace_use_declaration) @import
[
  (class_declaration) (interface_declaration) (trait_declaration) (enum_declaration)
  (method_declaration) (function_definition) (const_declaration) (property_declaration)
  (enum_case)
] @declared
(anonymous_class body: (_) @anonymous)
[
  (require_expression) (require_once_expression) (include_expression) (include_once_expression)
] @include
(subscript_expression) @index
(comment) @comment
