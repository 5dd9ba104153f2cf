"""The sources of managed computers. A provider knows machines, and none of our states.

Every verb may be called twice, by another process, after a crash in the middle of the first call.
"""
