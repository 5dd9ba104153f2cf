"""What files declare that are written in no programming language: tables, messages, contracts.

Each module reads the text of one form, in the process that asks: the forms are small, and a reader
looks at every character once.
"""
