"""Where code is made to be extended: types, tables of names, errors."""
