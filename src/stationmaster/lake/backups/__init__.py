"""A whole installation: moved to another database, into a backup, and out of one.

It knows of what an installation consists and how it is taken at one moment. It must never change
what it copies from, nor releases it before the copy is compared.
"""
