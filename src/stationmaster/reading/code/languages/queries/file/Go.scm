; What is asked of every file
(comment) @comment
(source_file (package_clause) @package)
(import_spec) @import
(field_declaration tag: (_)) @field
(selector_expression operand: (identifier)) @member
(qualified_type) @member
(source_file [(function_declaration) (method_declaration)] @declared)
(source_file (type_declaration [(type_spec) (type_alias)] @declared))
(source_file (type_declaration (type_spec type: (interface_type (method_elem) @declared))))
(source_file (const_declaration (const_spec) @declared))
(source_file (var_declaration [(var_spec) @declared (var_spec_list (var_spec) @declared)]))
