"""Readiness reports: what was found of each criterion, levels and percentages.

It never evaluates anything without a report, and never changes one that it accepted.
"""
