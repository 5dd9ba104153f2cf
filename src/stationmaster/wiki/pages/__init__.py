"""The pages of a generated wiki: each module plans some, and writes them.

`PLANS` is the order in which a reader meets them.
"""
