"""The criteria, a module for each pillar."""
