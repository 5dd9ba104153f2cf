; f(), a\f(), $x->f(), A::f(), new T()
(member_call_expression object: (_) @of name: (name) @name arguments: (_) @given) @call
(nullsafe_member_call_expression object: (_) @of name: (name) @name arguments: (_) @given) @call
(scoped_call_expression scope: (_) @of name: (name) @name arguments: (_) @given) @call
(function_call_expression
  function: [(name) @name (qualified_name (name) @name .)]
  arguments: (_) @given) @call
(object_creation_expression . [(name) @name (qualified_name (name) @name .)] (arguments)? @given) @call
