"""Reads a commit: `projects` its files and how it is built, `code` what source files declare.

It never runs anything and rates nothing: its callers do.
"""
