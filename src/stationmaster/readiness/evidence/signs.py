"""What source files show beyond their imports: variables of the environment, routes, settings.

One pass over the product's code, comments and tests left out. `signs.toml` has a row for each sign:
the files that can contain it, words of which the file must hold one, and the pattern that shows
it. A group of the pattern is what is remembered, the whole of it otherwise. Variables of languages
that are parsed for wikis are those that the parser sees.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from stationmaster.catalogue import lists
from stationmaster.catalogue.table import Row, compiled, read
from stationmaster.readiness.facts import Facts, once
from stationmaster.reading.code import environment_variables
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.queries import SOURCE_BYTES_MAX, Tree
from stationmaster.reading.projects.test_files import is_test

FILES_MAX = 20_000
HITS_MAX = 200
"""Of one sign in one file."""
GROUPS = {"javascript": "js-ending", "jvm": "jvm-ending", "servers": "server-ending"}
"""Lists of endings by the names that rows have for them; any other name is an ending itself."""
_COMMENT = re.compile(r"\s*(?://|#(?!\[)|\*|--|/\*|<!--|;)")


class Sign(Row, frozen=True):
    """A row: files by their endings, words of which a file must hold one, and the pattern."""

    files: tuple[str, ...]
    words: tuple[str, ...]
    pattern: str


class Sight(NamedTuple):
    """The place of a sign, and its text."""

    place: Place
    text: str


@cache
def signs() -> Mapping[str, Sequence[tuple[str, Sign]]]:
    """The signs that files of an ending may have, each with its name, by the ending."""
    by_ending: dict[str, list[tuple[str, Sign]]] = defaultdict(list)
    for name, rows in read("signs", dict[str, list[Sign]], Path(__file__).parent).items():
        for row in rows:
            for files in row.files:
                for ending in lists.words(GROUPS[files]) if files in GROUPS else (files,):
                    by_ending[ending].append((name, row))
    return by_ending


def seen(facts: Facts, name: str, app: App | None = None) -> Sequence[Sight]:
    """Where product code has a sign, that of an application or any."""
    sights = _scan(facts).get(name, ())
    if app is None:
        return sights
    own = facts.remembered(f"paths of {app.path}", lambda: frozenset(facts.tree.of(app)))
    return [sight for sight in sights if sight.place.path in own]


@once
def _scan(facts: Facts) -> Mapping[str, tuple[Sight, ...]]:
    """Every sign of the product's code, by name, in the order of paths and lines."""
    tree, by_ending = facts.tree, signs()
    sights: dict[str, list[Sight]] = defaultdict(list)
    paths = [path for path in tree.paths if _ending(path) in by_ending and not is_test(path)]
    paths = [path for path in paths if tree.files.entry(path).size <= SOURCE_BYTES_MAX][:FILES_MAX]
    tree.files.contents.fetch(paths)
    for path in paths:
        text = tree.text(path)
        for name, sign in by_ending[_ending(path)]:
            if any(word in text for word in sign.words):
                sights[name] += _sights(path, text, sign)
    texts = ((path, tree.text(path)) for path in tree.paths if _is_parsed(tree, path))
    sights["variable"] += (
        Sight(Place(path, line), name)
        for path, line, name in environment_variables.variables(texts)
    )
    sights["variable"].sort(key=lambda sight: (sight.place.path, sight.place.line or 0))
    return {name: tuple(dict.fromkeys(places)) for name, places in sights.items()}


def _ending(path: str) -> str:
    return path[path.rfind(".") + 1 :]


def _is_parsed(tree: Tree, path: str) -> bool:
    """Whether the parser of its language reports which variables a file of the product reads."""
    return (
        environment_variables.reads(path)
        and tree.files.entry(path).size <= environment_variables.SIZE_MAX
        and not is_test(path)
    )


def _sights(path: str, text: str, sign: Sign) -> list[Sight]:
    sights: list[Sight] = []
    line, at = 1, 0
    for hit in compiled(sign.pattern).finditer(text):
        if len(sights) == HITS_MAX:
            break
        line += text.count("\n", at, hit.start())
        at = hit.start()
        begin = text.rfind("\n", 0, at) + 1
        if not _COMMENT.match(text, begin, at):
            text_of = next(filter(None, hit.groups()), hit[0])
            sights.append(Sight(Place(path, line + hit[0].count("\n", 0, 2)), text_of))
    return sights
