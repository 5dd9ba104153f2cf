"""Sentences that a model may write in named places of a wiki that is complete without it.

Off unless the operator names a model. What a model is given are the facts of a page and nothing
else; what it returns is checked sentence by sentence as anybody's input is, and stands where the
page's own sentences without links stood. It never decides about pages, tables, diagrams, links or
citations.
"""
