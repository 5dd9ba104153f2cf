; Tables of options
(declaration type: (struct_specifier name: (_) @type) declarator: (init_declarator
  value: (initializer_list) @rows))
(declaration type: (type_identifier) @type declarator: (init_declarator
  value: (initializer_list) @rows))
