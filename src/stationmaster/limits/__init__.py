"""Credit caps and what is used of them this period.

It decides nothing about who may change a cap, and never refuses a request by itself.
"""
