; Elements of HTML in code
(jsx_opening_element name: (_) @callee) @element
(jsx_self_closing_element name: (_) @callee) @element
