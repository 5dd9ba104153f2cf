"""What the source files of a commit declare: symbols, imports, routes, settings and more.

Nothing of a repository is ever run. Files are parsed in processes that can be killed.
"""

from __future__ import annotations

import msgspec


class Wrapper(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A function that makes a handler of its argument `place`: it may refuse a request before it
    calls that (`refuses`), calls it in any case, or hands it on `to` another such function. What it
    asks depends on the arguments `levels`, and on a configuration by `condition`, as written."""

    name: str
    place: int
    refuses: bool
    levels: tuple[int, ...] = ()
    to: str = ""
    condition: str = ""
