"""People and access: signing in, keys, members, privacy, records."""
