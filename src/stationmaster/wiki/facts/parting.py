"""Long lists in parts that a reader can take in, each with a name that its members share."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

PART_MAX = 25
PART_MIN = 4
SHEET_MAX = 80
_NEARLY_ALL = 0.8
"""Of all routes."""
_TO = " to "
_UNSAFE = re.compile(r"[^a-z0-9]+")
_PLAIN_STEP = re.compile(r"api|rest|trpc|v\d[\w.]*|_?internal|public", re.IGNORECASE)
_VARIABLE = re.compile(r"[{<:*\[$(@]")
T = TypeVar("T")


class Routed(Protocol):
    """What has a route."""

    @property
    def route(self) -> str: ...


R = TypeVar("R", bound=Routed)


class Part(NamedTuple, Generic[T]):
    """A section of a list."""

    title: str
    items: tuple[T, ...]


class Sheet(NamedTuple, Generic[T]):
    """The sections of one page; `slug` is a part of its key, different from those beside it."""

    slug: str
    title: str
    parts: tuple[Part[T], ...]

    @property
    def items(self) -> list[T]:
        """Those of all sections."""
        return [item for part in self.parts for item in part.items]


def parts(
    items: Sequence[T], word: Callable[[T], str], name: Callable[[T], str], whole: str
) -> tuple[Part[T], ...]:
    """Items that share a word together, in the order given; those that share it with few others
    behind them, called by the first and the last.

    A list that is short enough stays `whole`.
    """
    if len(items) <= PART_MAX:
        return (Part(whole, tuple(items)),) if items else ()
    counts = Counter(map(word, items))
    groups: dict[str, list[T]] = defaultdict(list)
    for each in items:
        key = word(each)
        groups[key if counts[key] >= PART_MIN else ""].append(each)
    made: list[Part[T]] = []
    for key, found in sorted(groups.items(), key=lambda each: not each[0]):
        for start in range(0, len(found), PART_MAX):
            cut = tuple(found[start : start + PART_MAX])
            first, last = name(cut[0]), name(cut[-1])
            made.append(Part(key or (first if first == last else f"{first}{_TO}{last}"), cut))
    times, numbers = Counter(part.title for part in made), Counter[str]()
    for at, part in enumerate(made):
        if times[part.title] > 1:
            numbers[part.title] += 1
            made[at] = part._replace(title=f"{part.title}, part {numbers[part.title]}")
    return tuple(made)


def sheets(
    given: Sequence[Part[T]], taken: set[str], title: str = "", most: int = SHEET_MAX
) -> tuple[Sheet[T], ...]:
    """Sections on as few pages of `most` items as hold them, those of a word apart from those from
    one name to another; slugs that they get are `taken` from then on."""
    pages: list[list[Part[T]]] = []
    room = 0
    for each in given:
        if not pages or len(each.items) > room or _is_range(each) != _is_range(pages[-1][-1]):
            pages.append([])
            room = most
        pages[-1].append(each)
        room -= len(each.items)
    made = []
    for page in pages:
        first = page[0].title.split(_TO)[0].split(", part ")[0]
        last = page[-1].title.split(_TO)[-1].split(", part ")[0]
        named = f"{first}{_TO}{last}" if len(page) > 1 and first != last else page[0].title
        heading = f"{title}: {named}" if title and named != title else named
        made.append(Sheet(slug(heading, taken), heading, tuple(page)))
    return tuple(made)


def _is_range(part: Part[T]) -> bool:
    return _TO in part.title


def slug(title: str, taken: set[str]) -> str:
    """A part of a page's key that is not taken; it is from now on."""
    plain = _UNSAFE.sub("-", title.lower()).strip("-")[:60].strip("-") or "part"
    made, number = plain, 1
    while made in taken:
        number += 1
        made = f"{plain}-{number}"
    taken.add(made)
    return made


def by_area(items: Sequence[R], title: str) -> tuple[Sheet[R], ...]:
    """What has a route, by the first step of its path that tells something: behind one that nearly
    all share the next."""
    ((shared, count),) = Counter(area(item.route) for item in items).most_common(1) or (("", 0),)
    is_shared = count > max(PART_MAX, _NEARLY_ALL * len(items))

    def word(item: R) -> str:
        own = area(item.route)
        return own + area(item.route.removeprefix(own)) if is_shared and own == shared else own

    return sheets(parts(items, word, lambda item: word(item) or "/", title), set())


def area(route: str) -> str:
    """`/api/v1/users` of `/api/v1/users/{id}` and of the procedure `/api/v1/users.list`; '' for
    what is at the top."""
    steps: list[str] = []
    for step in route.strip("/").split("/"):
        if not step or _VARIABLE.match(step):
            break
        steps.append(step)
        if not _PLAIN_STEP.fullmatch(step):
            router = step.partition(".")[0] if route.endswith(f"/{step}") else ""
            steps[-1] = router or step
            break
    return "/" + "/".join(steps) if steps else ""
