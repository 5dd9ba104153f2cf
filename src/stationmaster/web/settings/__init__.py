"""The pages below `/settings`."""
