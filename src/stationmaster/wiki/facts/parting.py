"""Long lists in parts that a reader can take in, each with a name that its members share."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

PART_MAX = 25
PART_MIN = 4
_UNSAFE = re.compile(r"[^a-z0-9]+")
T = TypeVar("T")


class Part(NamedTuple, Generic[T]):
    """`slug` is a part of its page's key, different from those of the parts beside it."""

    slug: str
    title: str
    items: tuple[T, ...]


def parts(
    items: Sequence[T], word: Callable[[T], str], name: Callable[[T], str], others: str
) -> tuple[Part[T], ...]:
    """Items of the same word together, in the order given; small groups together as `others`.

    Groups that are too large are cut, and named by the names of their first and last item. A list
    that is short enough stays whole.
    """
    if not items:
        return ()
    groups: dict[str, list[T]] = defaultdict(list)
    if len(items) <= PART_MAX:
        groups[others] = list(items)
    else:
        counts = Counter(map(word, items))
        for each in items:
            key = word(each)
            groups[key if key and counts[key] >= PART_MIN else others].append(each)
    slugs: set[str] = set()
    made = []
    for key, found in sorted(groups.items(), key=lambda each: each[0] == others):
        for start in range(0, len(found), PART_MAX):
            cut = found[start : start + PART_MAX]
            title = key
            if len(found) > PART_MAX:
                title = f"{name(cut[0])} to {name(cut[-1])}"
            made.append(Part(slug(title, slugs), title, tuple(cut)))
    return tuple(made)


def slug(title: str, taken: set[str]) -> str:
    """A part of a page's key that is not taken; it is from now on."""
    plain = _UNSAFE.sub("-", title.lower()).strip("-")[:60].strip("-") or "part"
    made, number = plain, 1
    while made in taken:
        number += 1
        made = f"{plain}-{number}"
    taken.add(made)
    return made
