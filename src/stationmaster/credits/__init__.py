"""What a model call costs in Standard Credits: a dated rate card and one integer formula.

It knows models and dates and nothing of where calls come from. It must never use floating point,
so that a breakdown always adds up to its parent.
"""
