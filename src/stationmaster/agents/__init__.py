"""A folder for each coding agent: what its OTLP, hooks and transcripts mean as canonical Events.

Pure Python over plain values, and over the session files that an agent wrote. An agent's folder
knows nothing of servers, storage or organizations, raises ValueError for input that it cannot read
and OSError for files that it cannot open, and never passes on a prompt, code, a path, a command or
an output.
"""
