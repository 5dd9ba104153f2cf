"""Finished documents of closed days, and the small tables that trailing counts are taken from.

It replaces a day in the caller's transaction and answers range reads. It must never read an
event, and never work out a figure that is not a count of its own rows.
"""
