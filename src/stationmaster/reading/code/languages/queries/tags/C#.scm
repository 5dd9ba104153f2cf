; f(), x.f(), x?.f(), each also with types: f<T>(); new T()
(invocation_expression
  function: [
    (identifier) @name
    (generic_name . (identifier) @name)
    (member_access_expression
      expression: _ @of
      name: [(identifier) @name (generic_name . (identifier) @name)])
    (conditional_access_expression
      condition: _ @of
      (member_binding_expression name: [(identifier) @name (generic_name . (identifier) @name)]))
  ]
  arguments: (_) @given) @call
(object_creation_expression type: (_) @name arguments: (_)? @given) @made
