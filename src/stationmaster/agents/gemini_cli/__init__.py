"""Gemini CLI: its OTLP logs, spans and metrics, its chat files of both forms, and its hooks.

What its forks inherited is in `gemini_lineage`. Must never pass on a prompt, a command, a path or
an answer, all of which it exports unless its settings forbid it.
"""
