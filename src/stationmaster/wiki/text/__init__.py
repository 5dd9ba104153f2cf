"""Writing pages: Markdown in which everything from a repository is text and nothing else."""
