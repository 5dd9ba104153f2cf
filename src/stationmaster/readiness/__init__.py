"""How ready repositories are for agents: criteria, the evidence of a commit, levels, reports.

Criteria are rows, and tools are rows of the catalogue. It reads commits through `reading` and
`pipelines`, runs nothing of a repository, and never changes a report that it accepted.
"""
