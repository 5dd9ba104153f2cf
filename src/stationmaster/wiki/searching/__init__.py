"""Searching a wiki and asking it: words, ranking, passages, answers."""
