"""A module for each CI system that is read in full, and one for all others: which paths are its
workflows, and what they contain."""
