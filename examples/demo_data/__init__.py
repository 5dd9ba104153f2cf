"""The organization that `make run` shows: invented people, and recorded sessions of real agents
that are moved to other days and assigned to them. The same day gives the same data."""
