"""CI configuration as facts: the workflows of a commit, which agents they run, what is wrong there.

A module per provider reads its files into the one model; rules look at that model. It runs nothing,
asks no server, and tells names of secrets, never values.
"""
