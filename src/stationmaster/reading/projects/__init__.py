"""Reads how a commit is built: its languages, manifests, applications and commands.

It never runs anything and rates nothing: its callers do.
"""
