"""What the calls of a function lead to, kind by kind."""
