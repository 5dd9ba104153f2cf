"""The settings of agents: where they send telemetry and call models, and changing their files."""
