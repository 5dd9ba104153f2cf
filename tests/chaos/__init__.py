"""Real processes, killed, starved and confused, and an account of every event they acknowledged."""
