"""What a model call costs: a dated rate card, Standard Credits and US dollars, in integers.

It knows models and dates and nothing of where calls come from. It must never use floating point,
so that a breakdown always adds up to its parent.
"""
