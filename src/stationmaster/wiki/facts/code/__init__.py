"""What the code consists of: modules, symbols, imports, calls."""
