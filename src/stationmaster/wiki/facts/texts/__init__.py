"""What documents say: subjects, decisions, conventions, and where they differ from the files."""
