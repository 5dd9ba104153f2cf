"""The commands that read figures, and those of limits and alerts."""
