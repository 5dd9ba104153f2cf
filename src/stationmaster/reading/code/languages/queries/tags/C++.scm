; f(), x.f(), x->f(), a::f(), each also with types: f<T>()
(call_expression function: [
  (identifier) @name
  (template_function name: (identifier) @name)
  (field_expression argument: (_) @of field: [
    (field_identifier) @name
    (template_method name: (field_identifier) @name)
  ])
  (qualified_identifier scope: (_)? @of name: [
    (identifier) @name
    (template_function name: (identifier) @name)
  ])
]) @call @at
