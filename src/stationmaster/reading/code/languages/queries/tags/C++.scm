; a::f(), and with types: f<T>(), x.f<T>()
(call_expression function: [
  (template_function name: (identifier) @name)
  (field_expression argument: (_) @of field: (template_method name: (field_identifier) @name))
  (qualified_identifier scope: (_)? @of name: [
    (identifier) @name
    (template_function name: (identifier) @name)
  ])
]) @call @at
