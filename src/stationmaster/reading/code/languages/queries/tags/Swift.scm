; f() of what has a name, x.f()
((call_expression . (simple_identifier) @name) @call @at
  (#not-match? @name "^[$`]"))
(call_expression . (navigation_expression
  target: (_) @of
  suffix: (navigation_suffix suffix: (simple_identifier) @name))) @call @at
