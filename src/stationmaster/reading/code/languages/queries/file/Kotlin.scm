; What is asked of every file
(package_header (qualified_identifier) @package)
(import) @import
[
  (class_declaration) (object_declaration) (function_declaration) (property_declaration)
  (secondary_constructor) (enum_entry) (type_alias) (class_parameter)
] @declared
(object_literal (class_body) @anonymous)
[(line_comment) (block_comment)] @comment
