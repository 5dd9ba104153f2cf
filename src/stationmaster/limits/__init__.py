"""Budgets: which apply to whom, what is used, held and expected of them, and requests for more.

It decides whether a call has room, in one transaction. It does not communicate with providers or
agents: its callers pass who calls and what a call costs.
"""
