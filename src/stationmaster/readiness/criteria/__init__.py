"""The criteria: rows by pillar, and modules for what their steps cannot express."""
