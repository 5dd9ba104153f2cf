"""What a model call costs: a dated rate card, Standard Credits and US dollars, in integers.

Dollars are here as well as credits, because one card holds both: weights in `rates.toml`, prices in
`prices.json`.

It knows models and dates and nothing of the sources of calls. It must never use floating point,
so that a breakdown always adds up to its parent.
"""
