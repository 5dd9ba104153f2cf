"""The prices of an organization at this moment: the operator's card, imported lists, the built-in.

It knows which days were counted by which prices, and makes those due again whose prices changed.
It must never count anything itself.
"""
