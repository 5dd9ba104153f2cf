"""What documents say: sections, decisions, conventions, and where they differ from the files."""
