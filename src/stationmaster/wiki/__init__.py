"""Wikis of repositories: written from the facts of a commit or uploaded, searched, exported.

`facts` answer questions about a commit, `pages` are written from them, `checks` read what was
written. A run never changes once its pages are stored, and no page is ever executed or trusted.
"""
