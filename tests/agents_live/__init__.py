"""Real agents from npm against a model of our own: opt-in, `make agents`."""
