"""What a commit says: `projects` what its files are, `code` what they declare."""
