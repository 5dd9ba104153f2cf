"""Droid: its metrics and hooks, its session files with their settings, and its headless streams.

Knows the vendor's names, and that its tokens are running totals of a session. Must never pass on a
prompt, a command, a path or an output.
"""
