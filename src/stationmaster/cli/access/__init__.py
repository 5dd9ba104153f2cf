"""The commands on people and access."""
