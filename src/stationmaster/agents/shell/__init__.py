"""Shell commands that agents run: read into words, programs and what they change."""
