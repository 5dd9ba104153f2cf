"""The commands on computers."""
