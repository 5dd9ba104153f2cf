"""CI workflows of a repository: where they are and what they do.

It reads files through `repos`, runs none of them, and never fails over a file that does not parse.
"""
