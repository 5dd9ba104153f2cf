"""The language of GitHub Actions, which Gitea and Forgejo took over.

The modules beside this folder say where each service keeps its files.
"""
