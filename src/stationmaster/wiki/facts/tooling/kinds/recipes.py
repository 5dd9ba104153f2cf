"""What a task is for: its recipe is asked first, and its name where that leaves it open."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.catalogue.repositories.work import work
from stationmaster.wiki.facts.tooling.kinds import purposes
from stationmaster.wiki.facts.tooling.kinds.names import (
    Purpose,
    by_name,
    makes_another,
    of_runner,
    words_of,
)
from stationmaster.wiki.facts.tooling.kinds.purposes import OTHER, Work

_LIKE = expressions("recipes")
_WORDS = work().words
_JOINED = re.compile(r"&&|\|\||[;&]")
_ENDS: tuple[Purpose, ...] = (
    "install", "configure", "prepare", "build", "test", "lint", "format", "image",
)  # fmt: skip
"""What a recipe shows without the name of its task."""
_UNSURE = frozenset({"install", "up", "verify"})
"""First words that state what a task is for only together with its recipe, as a check of something
else than all does."""
_RELEASED = frozenset({"dist", "package"})
_EQUAL = frozenset({"build", "format", "lint"})
"""A compiler checks, and a checker may correct what it finds."""
_PACKAGES = ("/node_modules", "/vendor", "/.venv")
_STARTS = ("dev", "start", "serve")
_PHASE = re.compile(r"\s-P\s?\S.{0,200}\sverify\b")
"""All that a profile of Maven binds to the end of a build, which may start the product too."""
_BRINGING = frozenset({"install", "configure", "prepare", "services"})


def of_task(name: str, steps: Iterable[str], does: Callable[[str], Work | None]) -> Purpose | None:
    """What a task does, by what `does` says of each part of its steps. Where these are for several
    purposes, or nothing is known of one, the name decides; without it, a recipe that is known as a
    whole is for what it ends with. None for what is none of the purposes."""
    words = words_of(name)
    parts = list(_parts(steps))
    working = _working(parts)
    if (parts and not working) or not _WORDS.aside.isdisjoint(words):
        return None
    done = [_of_part(part, does) for part in working]
    purpose = _decided(name, working, done)
    if purpose == "image" and parts and not any(map(_LIKE["containers"].search, (name, *parts))):
        return None  # Pictures are images, too.
    is_beside = "/" in name or makes_another(name)
    if name.endswith(_PACKAGES):
        return None  # A file that other tasks need, and nobody types.
    return None if is_beside and purpose in ("build", "image", "run") else purpose


def brings(steps: Iterable[str], does: Callable[[str], Work | None]) -> bool:
    """Does a recipe install what the product needs, and start and build nothing?"""
    done = {does(part) for part in _working(list(_parts(steps)))}
    return "install" in done and done <= _BRINGING


def _decided(name: str, parts: Sequence[str], done: Sequence[Work | None]) -> Purpose | None:
    names = by_name(name)
    first, last = next(iter(names), None), next(iter(done[-1:]), None)
    if first in _EQUAL and done and _EQUAL.issuperset(done):
        return first if first != "format" or "format" in done else "lint"
    for purpose in names:
        # What goes on after services were started is more than these.
        if purpose in done and (purpose != "services" or last == purpose):
            return purpose
    words = words_of(name)
    is_unsure = bool(words) and (words[0] in _UNSURE or (len(words) > 1 and words[-1] == "check"))
    if OTHER in done:
        others = (it for it, work in zip(parts, done, strict=True) if work == OTHER)
        is_packed = all(purposes.does(it, "packs") for it in others)
        is_release = not _RELEASED.isdisjoint(words) or not is_packed
        return None if first != "build" or is_release else "build"
    if not done or None in done or any(map(_LIKE["any_program"].match, parts)):
        starts_none = last in _ENDS or any(map(_LIKE["of_tests"].search, parts))
        if first == "format" and any(map(purposes.only_checks, parts)):
            return "lint"
        return None if is_unsure or (first == "run" and starts_none) else first
    return _end(name, parts, done)


def _end(name: str, parts: Sequence[str], done: Sequence[Work | None]) -> Purpose | None:
    """What a recipe that is known as a whole, and not what its task is called after, ends with."""
    words = words_of(name)
    # Before a product that is to be typed by itself, compose starts what it needs.
    ends = [it for it, part in zip(done, parts, strict=True) if not _starts_around(it, part)]
    if not ends:
        return "services" if not _WORDS.services.isdisjoint(words) else None
    is_several = len({*ends} - _BRINGING) > 1
    end = next((it for it in _ENDS if it == ends[-1]), None)
    if end == "test" and words[-1:] and words[-1] in _STARTS and _PHASE.search(parts[-1]):
        return "run"
    if end is not None:
        return None if is_several and not by_name(name) else end
    is_asked = len(parts) == 1 and of_runner(parts[0]) and (len(words) == 1 or words[-1] in _STARTS)
    return "run" if is_asked and ends[-1] == "run" else None


def _of_part(part: str, does: Callable[[str], Work | None]) -> Work | None:
    work = None if _LIKE["condition"].search(part) else does(part)
    return "test" if work == "single" else work


def _starts_around(work: Work | None, part: str) -> bool:
    return work == "services" or purposes.does(part, "compose_up")


def _parts(steps: Iterable[str]) -> Iterator[str]:
    for step in steps:
        # What runs under a condition is taken as one, which is not known.
        for part in [step] if _LIKE["condition"].search(step) else _JOINED.split(step):
            yield from filter(None, [_LIKE["before"].sub("", part.strip(" @-()"), count=1)])


def _working(parts: Sequence[str]) -> list[str]:
    """Those that do the work: a report of tests, for one, does none."""
    is_idle = _LIKE["idle"].fullmatch
    return [part for part in parts if not (is_idle(part) or purposes.does(part, "reports"))]
