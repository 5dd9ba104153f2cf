; f(), x.f(), x->f()
(call_expression function: [
  (identifier) @name
  (field_expression argument: (_) @of field: (field_identifier) @name)
]) @call @at
