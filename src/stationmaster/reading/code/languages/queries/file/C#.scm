; What is asked of every file
(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)
(using_directive) @import
[
  (class_declaration) (interface_declaration) (struct_declaration) (record_declaration)
  (enum_declaration) (delegate_declaration) (enum_member_declaration)
  (method_declaration) (constructor_declaration) (property_declaration)
  (field_declaration) (event_field_declaration)
] @declared
(element_access_expression) @index
(compilation_unit (global_statement) @top)
(comment) @comment
