"""Who is calling, and what they may do: organizations, people, service accounts, keys, roles.

It decides nothing about what a feature does for a role, never keeps a secret that it could show
again, and never answers with another organization's rows.
"""
