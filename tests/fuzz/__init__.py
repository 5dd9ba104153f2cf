"""Generated requests against everything that the server describes."""
