"""Budgets: which apply to whom, what is used, held and expected of them, and requests for more.

It decides whether a call has room, in one transaction. It speaks to no provider and no agent: its
callers pass who calls and what a call costs.
"""
