"""Running the application: processes, connections, and what a proxy says of a request."""
