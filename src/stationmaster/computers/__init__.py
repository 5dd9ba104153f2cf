"""Computers that agents live on: the resource, its states, who may see it.

It never dials a computer: computers dial in.
"""
