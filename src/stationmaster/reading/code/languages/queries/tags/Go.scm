; f() of what is no builtin, x.f()
((call_expression function: (identifier) @name arguments: (_) @given) @call @at
  (#not-match? @name "^(append|cap|clear|close|complex|copy|delete|imag|len|make|max|min|new|panic|print|println|real|recover|bool|byte|float32|float64|int|int8|int16|int32|int64|rune|string|uint|uint8|uint16|uint32|uint64|uintptr|any|error)$"))
(call_expression
  function: (selector_expression operand: (_) @of field: (_) @name)
  arguments: (_) @given) @call @at
