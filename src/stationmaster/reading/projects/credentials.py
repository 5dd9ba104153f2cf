"""Which files hold nothing but credentials, and which values may be one."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

from stationmaster.catalogue import lists
from stationmaster.catalogue.repositories.expressions import expressions

_LIKE = expressions("credentials")
_ENTROPY_MIN = 3.2
"""Bits a character. Words and repeated letters have less, random text of 20 letters more."""
_JOINS = frozenset("_-./:=")
"""Signs that people join words with."""
_HEX = re.compile(r"[0-9a-fA-F]+")
_HARMLESS = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|sha\d{1,3}[-:=]")
"""UUIDs, and digests with the name of their algorithm."""
_CAPITALS = re.compile(r"[A-Z](?=[A-Z])")


def never_opened(path: str) -> bool:
    """True for private keys, key stores, stores of credentials, encrypted secrets and files of
    variables that are not examples: a description of a repository never reads them."""
    if _LIKE["closed"].fullmatch(path) is None:
        return False
    return _LIKE["example"].search(path.rpartition("/")[2]) is None


def is_placeholder(value: str) -> bool:
    """Is a value only a placeholder for a credential?"""
    return lists.pattern("placeholder").search(value[:400]) is not None


def is_varied(value: str) -> bool:
    """May a value be real that has an issuer's form of credentials, or that is set as a secret? Its
    letters are then as varied as those of random text.

    A reported leak has to be one, so parts of invented values are enough to exclude it. A masked
    value need not be one, so there only `is_placeholder` excludes a value.
    """
    if is_placeholder(value) or lists.pattern("invented").search(value):
        return False
    counts = Counter(value)
    entropy = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    return entropy >= _ENTROPY_MIN


def is_random(word: str) -> bool:
    """True for letters and digits in an order that no person would write, without a form of
    credentials.

    In random text more than half of all neighbours are of different kinds; in names that people
    make of words at most a quarter.
    """
    bare = word.strip("=-_./+")
    if len(bare) < 12 or _HARMLESS.match(bare) or is_placeholder(bare):
        return False
    if "/" in bare and "+" not in bare:
        bare = max(bare.split("/"), key=len)
    digits = sum(map(str.isdigit, bare))
    if not digits < len(bare) or len(bare) < 12:
        return False
    if _HEX.fullmatch(bare):
        return digits >= 4 and len(bare) - digits >= 3 and len(set(bare)) >= 6
    kinds = [_kind_of(letter) for letter in bare if letter not in _JOINS]
    changes = sum(a != b for a, b in pairwise(kinds)) / len(kinds)
    if not digits:  # Words joined in capitals change as often, but have few capitals in a row.
        return changes >= 0.4 and len(_CAPITALS.findall(bare)) >= 2
    return changes >= 0.34 and len(set(bare)) >= 8


def _kind_of(letter: str) -> int:
    return letter.isupper() + 2 * letter.isdigit() + 3 * (not letter.isalnum())
