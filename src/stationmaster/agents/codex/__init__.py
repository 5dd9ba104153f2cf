"""Codex: its OTLP logs, spans and metrics, and its session files ("rollouts") under `sessions/`.

Knows the vendor's names and which of its records repeat one another. Must never pass on a prompt,
a command, a patch, a path or an output, all of which Codex exports even where its settings forbid
it.
"""
