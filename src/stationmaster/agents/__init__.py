"""One module per coding agent: what its OTLP, hooks and transcripts mean as canonical Events.

Pure Python over plain values. An agent module knows nothing of servers, storage or organizations,
raises nothing but ValueError, and never hands on a prompt, code, a path, a command or an output.
"""
