"""Declarations in files that are not code: tables, messages, contracts.

Each module reads the text of one form, in the calling process: the texts are small, and a reader
reads every character once.
"""
