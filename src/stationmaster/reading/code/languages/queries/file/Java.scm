; What is asked of every file
(package_declaration (_) @package .)
(import_declaration) @import
[
  (class_declaration) (interface_declaration) (enum_declaration) (record_declaration)
  (annotation_type_declaration) (method_declaration) (constructor_declaration)
  (annotation_type_element_declaration) (enum_constant)
  (field_declaration) (constant_declaration)
] @declared
(object_creation_expression (class_body) @anonymous)
[(line_comment) (block_comment)] @comment
