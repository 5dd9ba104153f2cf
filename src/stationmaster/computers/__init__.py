"""Computers that agents live on: the resource, its states, who may see it, and the relay to it.

It never dials a computer: computers dial in. It never reads what the relay passes on.
"""
