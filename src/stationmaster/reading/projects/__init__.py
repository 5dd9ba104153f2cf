"""What the files of a commit say of how it is built: languages, manifests, applications, commands.

It reads and never runs anything, and judges nothing: whoever asks decides what is good.
"""
