; @x = T.new, x = T.new
(assignment left: [(identifier) (instance_variable)] @name right: (_) @value)
