; What is asked of every file
(comment) @comment
(call_expression) @call
