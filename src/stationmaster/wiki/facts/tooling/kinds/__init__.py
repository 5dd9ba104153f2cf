"""What command lines and tasks are for: by their words, their recipes and their names."""
