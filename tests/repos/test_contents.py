"""What parsers make of files."""
