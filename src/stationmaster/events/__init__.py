"""The canonical Event: its type, its deterministic identity, the ranks of its sources.

Everything an agent reports becomes one of these or is dropped. An Event holds counts, names and
times; it has no field for a prompt, code, a path, a command or an output, so none can be stored.
"""
