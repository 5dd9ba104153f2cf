"""Repositories: registry, CI findings, readiness, wikis."""
