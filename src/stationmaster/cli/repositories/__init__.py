"""The commands on repositories."""
