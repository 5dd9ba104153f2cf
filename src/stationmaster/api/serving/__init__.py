"""Running the application: processes, connections, and what a proxy reports of a request."""
