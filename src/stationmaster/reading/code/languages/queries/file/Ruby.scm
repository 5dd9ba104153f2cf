; What is asked of every file
[(class) (module)] @holder
(singleton_class) @own
[(method) (singleton_method)] @method
(assignment left: (constant) @constant)
(call method: [(identifier) (constant)] @called) @call
(element_reference) @index
(comment) @comment
(identifier) @word
(keyword_pattern key: (hash_key_symbol) @key !value)
