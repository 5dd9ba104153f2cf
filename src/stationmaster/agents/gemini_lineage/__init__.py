"""What Gemini CLI and the agents forked from it have in common: names, figures, tools, results.

Knows no product by name: a `Lineage` defines how one of them differs. Must never pass on content.
"""
