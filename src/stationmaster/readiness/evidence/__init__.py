"""What shows that something is so: tools by their traces, code, builds, hooks, documents.

Criteria ask here and judge; what is found is a place in the commit, never a verdict.
"""
