; What is asked of every file
[(line_comment) (block_comment)] @comment
(call_expression) @call
(macro_invocation) @macro
(use_declaration) @use
(scoped_identifier) @path
(scoped_type_identifier) @path
(tuple_struct_pattern) @pattern
