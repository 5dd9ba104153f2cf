"""Repository addresses, the registry, and the one safe way to read a repository.

Nothing of a repository is ever checked out, run or trusted, and nothing here knows what readers
look for.
"""
