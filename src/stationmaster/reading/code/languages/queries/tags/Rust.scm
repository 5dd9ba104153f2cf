; f(), a::f(), x.f(), each also with types: f::<T>()
(call_expression function: [
  (identifier) @name
  (scoped_identifier path: (_)? @of name: (_) @name)
  (field_expression value: (_) @of field: (_) @name)
  (generic_function function: [
    (identifier) @name
    (scoped_identifier path: (_)? @of name: (_) @name)
    (field_expression value: (_) @of field: (_) @name)
  ])
]) @call
