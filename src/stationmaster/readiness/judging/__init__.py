"""From a commit to a report: reading, judging, and what a repository overrides."""
