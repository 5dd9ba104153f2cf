"""Budgets, limits, costs and prices."""
