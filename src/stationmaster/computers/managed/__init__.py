"""Managed computers: made, set up, paused, woken and ended by a job that compares what is wanted
with what is there.
"""
