; f(), x.f(), new T()
(method_invocation object: (_)? @of name: (_) @name arguments: (_)? @given) @call
(object_creation_expression type: (_) @name) @made
