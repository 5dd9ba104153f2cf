"""Diagrams of wikis as SVG made on the server, each with a table of the same words.

An uploaded wiki may hold anything: what is not understood stays as it is written,
what is too large to be drawn stays a table.
"""
