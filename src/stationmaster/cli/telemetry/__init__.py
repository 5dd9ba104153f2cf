"""The commands that send telemetry."""
