"""Work on input that outsiders control, done in child processes that the kernel limits.

A child gets its input as bytes over a pipe, no secret and no database, and is ended with all that
it started when it exceeds a limit or when this process ends. This room knows nothing of the work.
"""
