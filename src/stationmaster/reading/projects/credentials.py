"""Which files hold nothing but credentials."""

from __future__ import annotations

from stationmaster.catalogue.repositories.expressions import expressions

_LIKE = expressions("credentials")


def never_opened(path: str) -> bool:
    """Private keys, key stores, stores of credentials, encrypted secrets, variables that are no
    example: nobody who describes a repository reads them."""
    if _LIKE["closed"].fullmatch(path) is None:
        return False
    return _LIKE["example"].search(path.rpartition("/")[2]) is None
