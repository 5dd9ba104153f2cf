"""Where code is made to be extended: documents on it, types, tables of names, events, errors."""
