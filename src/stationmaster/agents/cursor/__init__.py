"""Cursor: its hooks, the transcripts of its agents, and the store of an agent window.

Knows the vendor's names, and which of its hooks repeat one another. Must never pass on a prompt, a
command, a path or an output. Nothing of Cursor on a person's computer knows its tokens.
"""
