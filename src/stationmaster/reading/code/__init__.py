"""What the source files of a commit declare: symbols, imports, routes, settings and more.

Nothing of a repository is ever run. Files are parsed in processes that can be killed.
"""
