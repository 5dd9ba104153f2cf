; f(), x.f()
(call_expression . [
  (identifier) @name
  (navigation_expression . (_) @of (identifier) @name .)
]) @call
