; @x = T.new, x = T.new, @x ||= T.new
(assignment left: [(identifier) (instance_variable)] @name right: (_) @value)
(operator_assignment left: (instance_variable) @name operator: "||=" right: (_) @value)
