"""Who and what sends data, and what is missing of it."""
