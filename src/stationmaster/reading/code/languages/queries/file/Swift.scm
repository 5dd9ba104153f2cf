; What is asked of every file
[(comment) (multiline_comment)] @comment
(import_declaration) @import
(call_expression) @call
[
  (class_declaration) (protocol_declaration)
  (function_declaration) (protocol_function_declaration) (init_declaration)
  (subscript_declaration) (macro_declaration) (typealias_declaration)
  (property_declaration) (protocol_property_declaration)
] @declared
[(function_body) (statements)] @anonymous
