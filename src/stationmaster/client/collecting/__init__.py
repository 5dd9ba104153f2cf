"""Collecting: finding session files, reading what is new, and sending it."""
