"""What Gemini CLI and the agents forked from it have in common: names, figures, tools, results.

Knows no product by name: a `Lineage` says in what one of them differs. Must never hand on content.
"""
