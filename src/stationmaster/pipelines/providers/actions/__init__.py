"""The language of GitHub Actions, which Gitea and Forgejo took over.

The modules next to this folder define where each service keeps its files.
"""
