"""Qwen Code: its OTLP logs, spans and metrics, its chat files, and its hooks.

A fork of Gemini CLI; what it inherited is in `gemini_lineage`. Its chat files hold copies of its
exported records, under the same ids. Must never pass on a prompt, a command, a path or an answer.
"""
