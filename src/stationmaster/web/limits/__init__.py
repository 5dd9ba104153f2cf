"""The pages of limits, budgets and requests for more."""
