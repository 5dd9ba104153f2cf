"""GitHub Copilot CLI: its OTLP spans and metrics, its session files and store, and its hooks.

Knows the vendor's names and which of its records repeat one another. Must never pass on a prompt,
a command, a path or a result: those are read for counts and identities and dropped.
"""
