"""Budgets: their nouns, names and rows."""
