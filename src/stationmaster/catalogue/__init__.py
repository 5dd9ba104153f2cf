"""What is known of the world's tools, as data: each fact stands here once, and every room reads it.

It knows names, files, patterns and texts. It contains no decision and imports no other room.

How a kind of thing is added: `KIND.toml` has the rows, `KIND.py` the frozen struct of a row and the
questions that rooms ask; a kind of many files is a folder. `table.read` decodes them, once, when
they are first asked.

Why TOML and not Python: whoever adds a tool adds a row and needs no code, a row is checked by its
struct (an unknown key or a wrong type names its row and stops every test), patterns need no
escapes, and comments say where a fact comes from. It costs a quarter of a millisecond per kilobyte,
paid only by the commands that ask that kind. Python is for what a type checker must see.
"""
