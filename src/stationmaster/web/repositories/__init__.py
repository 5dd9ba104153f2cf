"""The pages of repositories and of their wikis."""
