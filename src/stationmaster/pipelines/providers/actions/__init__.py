"""The language of GitHub Actions, which Gitea and Forgejo took over. Rules: CI scan reference,
sections 3 to 5. The modules beside this folder say where each service keeps its files.
"""
