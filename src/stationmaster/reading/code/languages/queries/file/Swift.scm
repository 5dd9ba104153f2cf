; What is asked of every file
[(comment) (multiline_comment)] @comment
(import_declaration) @import
(call_expression) @call
