"""Which files of the commit an import leads to: one module a language, named like its reader.

`resolver(index)` returns a function from a file's path and an import to what it leads to.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from stationmaster.reading.code.languages import dialects
from stationmaster.reading.code.resolving.model import Index, Resolved, Resolver

__all__ = ["Index", "Resolved", "Resolver", "resolver"]


def resolver(language: str, index: Index) -> Resolver | None:
    """The resolver of a language; None for one whose imports are not resolved."""
    dialect = dialects().get(language)
    if dialect is None:
        return None
    module = import_module(f"{__name__}.{dialect.resolver or dialect.reader}")
    return cast(Resolver, module.resolver(index))
