; Literals of what others' packages declare
(composite_literal type: (qualified_type) @type body: (literal_value) @body) @literal
