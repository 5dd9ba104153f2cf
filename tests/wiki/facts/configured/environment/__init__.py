"""Settings that are read from several files."""
