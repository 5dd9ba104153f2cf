; Literals of structs
(composite_literal
  type: [(qualified_type) (type_identifier)] @type body: (literal_value) @body) @literal
; What functions give back: a variable, or what another function makes
(return_statement (expression_list . [(identifier) (call_expression)] @returned .))
; Where words of a command line may choose what runs
(expression_switch_statement) @switch
