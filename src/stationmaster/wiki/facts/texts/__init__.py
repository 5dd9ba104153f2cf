"""The content of documents: sections, decisions, conventions, and differences from the files."""
