"""What runs on a developer's machine: find agents' session files, read them, send counts and names.

It installs without the server's libraries. It reads session files, never changes them, and passes
on canonical Events only, so no prompt, code or output can leave the machine.
"""
