"""Wiki runs: uploaded pages, their tree, search and export.

A run never changes once its pages are there, and no page is ever executed or trusted.
"""
