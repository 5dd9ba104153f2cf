"""Stored counts of days: decoded, joined, grouped and added up."""
