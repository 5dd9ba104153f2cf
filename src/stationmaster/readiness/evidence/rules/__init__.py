"""Single rules of linters: which of them a configuration turns on, defaults included."""
