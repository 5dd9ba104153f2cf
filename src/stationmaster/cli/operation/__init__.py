"""The commands that run and keep an installation."""
