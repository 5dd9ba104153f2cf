"""Programs of the repository, and the commands that they take."""
