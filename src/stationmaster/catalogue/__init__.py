"""Facts about the world's tools, as data: each fact is here once, and every room reads it.
It knows names, files, patterns and texts. It contains no decision and imports no other room.

How a kind of thing is added: `KIND.toml` has the rows, `KIND.py` the frozen struct of a row and the
questions that rooms ask; a kind of many files is a folder. `table.read` decodes them, once, when
they are first asked.

Why TOML and not Python: adding a tool is adding a row and needs no code, a row is checked by its
struct (an unknown key or a wrong type names its row and stops every test), patterns need no
escapes, and comments name the source of a fact. It costs a quarter of a millisecond per kilobyte,
paid only by the commands that need that kind. Python is for what a type checker must see.
"""
