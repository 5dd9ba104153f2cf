"""The command lines that a repository knows."""
