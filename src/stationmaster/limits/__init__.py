"""Budgets: which apply to whom, what is used, held and expected of them, and requests for more.

It decides whether a call has room, in one transaction, and speaks to no provider and no agent; who
calls and what a call costs, others tell it.
"""
