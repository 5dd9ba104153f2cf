"""Calls of agents to models, passed through to their providers by a process of its own.

It knows the providers' addresses and protocols, holds their keys sealed, and calls `limits` before
each call and while it streams. It must never store or log content, and never decide by itself who
may spend what.
"""
