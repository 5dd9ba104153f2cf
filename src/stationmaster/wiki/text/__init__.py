"""Writing pages: Markdown in which whatever comes from a repository is text and nothing else."""
