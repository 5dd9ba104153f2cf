"""Pages on what others call or configure."""
