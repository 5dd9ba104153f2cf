; What is asked of every file
(comment) @comment
(source_file (package_clause) @package)
(import_spec) @import
(field_declaration tag: (_)) @field
