"""What a commit says: `projects` which files it has and how it is built, `code` what they declare.

It reads and never runs anything, and judges nothing: whoever asks decides what is good.
"""
