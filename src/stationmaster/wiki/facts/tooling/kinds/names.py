"""What tasks are for by their names alone, with a table of words."""

from __future__ import annotations

import re
from typing import Literal

from stationmaster.catalogue.repositories import work as catalogue
from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.catalogue.repositories.work import work
from stationmaster.pipelines import commands as vocabulary

Purpose = Literal[
    "use", "install", "configure", "services", "prepare", "build", "run", "assets",
    "test", "single", "lint", "format", "image",
]  # fmt: skip
"""In the order of the work; `single` runs one test."""

_WORDS = work().words
_OF_PROJECT = expressions("purposes")["of_project"]
RUNNERS = frozenset({
    "make", "just", "task", "poe", "rake", "npm", "pnpm", "yarn", "bun", "hatch", "pdm", "mise",
    "turbo", "lerna", "composer",
})  # fmt: skip
"""They take the name of a task."""
_BACK_END = frozenset({"api", "app", "backend"})
"""Parts that start the product itself."""
_WATCHES = frozenset({"watch"})
"""Behind a word of starting it is how the product is started in development."""
_DELIVERS = ("publish", "deploy", "scan")
_KINDS: tuple[Purpose, ...] = ("build", "test", "lint")
_WHOLE = frozenset({"e2e", "integration"})


def by_name(name: str) -> tuple[Purpose, ...]:
    """What a task may be for by its name alone, the likeliest first; () where that states nothing
    of the product."""
    words = words_of(name)
    if whole := _called(name):
        return whole
    is_of_store = words[0:1] == ["server"] and not _WORDS.stores.isdisjoint(words[1:2])
    parts = _WORDS.parts - _WORDS.runs - _WORDS.images
    if is_of_store or not parts.isdisjoint(words[:-1][:1]):
        words = words[1:]
    kinds = {vocabulary.of_task(word) for word in words}
    if not (words and kinds.isdisjoint(_DELIVERS) and _WORDS.aside.isdisjoint(words)):
        return ()
    is_made = words[0] in _WORDS.stores and not _WORDS.makes.isdisjoint(words[1:])
    if "migrate" in words or (is_made and _WORDS.filling.isdisjoint(words)):
        return ("prepare",)
    starts = not _WORDS.runs.isdisjoint(words[:2]) and _WORDS.makes.isdisjoint(words)
    if not _WORDS.services.isdisjoint(words) and starts and _WORDS.filling.isdisjoint(words):
        return ("services",)
    if words[0] in _WORDS.runs:
        is_own = _WORDS.parts.issuperset({*words[1:]} - _WATCHES)
        own: tuple[Purpose, ...] = ("run", "services")
        is_of_image = not _WORDS.images.isdisjoint(words)
        other = _kind(name) or (() if is_of_image else own)
        return own if is_own else other if words[0] == "run" else ()
    if words[0] in _WORDS.setup:
        return ("install",) if _WORDS.upkeep.isdisjoint(words[1:]) else ()
    if not _WORDS.formats.isdisjoint(words):
        if not _WORDS.stores.isdisjoint(words):
            return ()  # Of a schema alone.
        checks = _WORDS.checks - ({"check", "lint"} if words[-1] == "fix" else set())
        return ("format", "lint") if checks.isdisjoint(words) else ("lint", "format")
    if not _WORDS.images.isdisjoint(words) and "build" in kinds:
        return ("image", "build")
    last = name.rpartition(":")[2]
    called = tuple(it for it in _called(last) if it in _KINDS)
    kind = _kind(words[0]) or called or _kind(next(iter(words_of(last)), ""))
    return kind or (("test",) if words[-1] in ("test", "tests", "unit") else ())


def is_otherwise(name: str) -> bool:
    """Is a task called as something else than a build?"""
    words = words_of(name)
    kinds = {vocabulary.of_task(word) for word in words}
    is_aside = not (_WORDS.aside.isdisjoint(words) and kinds.isdisjoint(_DELIVERS))
    return is_aside or by_name(name)[:1] not in ((), ("build",))


def _called(name: str) -> tuple[Purpose, ...]:
    """The purposes that have exactly this name for a task."""
    rows = work().purposes.items()
    names = [purpose for purpose, row in rows if name.lower() in row.names]
    names.sort(key=lambda purpose: purpose != "lint")
    more = ("services",) if "run" in names else ()
    return (*names, *more)


def _kind(name: str) -> tuple[Purpose, ...]:
    """What the vocabulary of pipelines has for a name; a check of something unknown is nothing."""
    kind = vocabulary.of_task(name, "scan")
    return tuple(it for it in _KINDS if it == kind)


def of_runner(text: str) -> str:
    """The task that a command line asks a runner for; '' for none or several."""
    if task := _OF_PROJECT.match(text):
        return task[1]
    words = [word for word in text.split() if not (word.startswith("-") or "=" in word)]
    asked = words[2:] if words[1:2] in (["run"], ["run-script"]) else words[1:]
    return asked[0] if words and words[0] in RUNNERS and len(asked) == 1 else ""


def is_called(purpose: str, name: str) -> int:
    """0 for a task that bears the purpose's plainest name, 1 for one whose name begins with it."""
    names = row(purpose).names
    if name.lower() in names[:2]:
        return 0
    first, *rest = re.split(r"[:._-]", name.lower(), maxsplit=1)
    is_plainly = name.lower() in names or (first in _BACK_END and not {*names}.isdisjoint(rest))
    return 1 if is_plainly else 2 if first in names else 3


def makes_another(name: str) -> bool:
    """Is a task called as one that makes something else than the product?"""
    first, *words = words_of(name) or [""]
    others = _WORDS.others - _WATCHES if first in _WORDS.runs else _WORDS.others
    return not others.isdisjoint((first, *words))


def is_special(name: str) -> bool:
    """Is a task called as one that starts or builds the product to be measured or released?"""
    return not _WORDS.special.isdisjoint(words_of(name))


def names_front_end(name: str) -> bool:
    """Is a task called after the files of a front end (`build-js`), and not after tests of all?"""
    first, *words = words_of(name) or [""]
    return first not in _WHOLE and not _WORDS.front_end.isdisjoint(words or [first])


def words_of(name: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", name.lower())


def row(purpose: str) -> catalogue.Purpose:
    """What the catalogue has for a purpose."""
    return work().purposes.get(purpose) or catalogue.Purpose()
