"""Durable jobs: work that was asked for, who does it, how it ended. Kept in the state database."""
