"""What users of a library can name, with how documents or tests use it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from stationmaster.reading.code.explaining import indent
from stationmaster.wiki.facts.code.bindings import declaration, meant
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.code.ranks import by_importance
from stationmaster.wiki.facts.code.symbols import public_of
from stationmaster.wiki.facts.extending.offered import by_default, packages, public
from stationmaster.wiki.facts.model import Facts, Spot, of_file, query
from stationmaster.wiki.facts.texts.documents import chosen, documents_by_path, tells_what_is

OFFERS_MIN, OFFERS_MAX = 3, 80
LINES_MAX, LETTERS_MAX = 14, 160
"""Of a test that is an example, and letters of a line that is one."""
_NAMING = re.compile(
    r"(\b(?:new|instanceof)\s+)?\\?(?:(?<![\w'\"/`-])(\w{1,60})(?:\.|->|::|\\))?"
    r"(?<![\w'\"/$`-])([A-Za-z_]\w{2,60}|\$)(?=(\(|\.\w|::\w|`)?)"
)
"""A name, with what stands before it and a dot."""
_TAKING = re.compile(
    r"\s*(?:#|//|\*)|\s*(?:import|from|use|using|require\w*|package|(?:export |pub )?"
    r"(?:class|def|func|fn|function|interface|struct|impl|module))\b|.{0,80}\brequire\("
)
"""A line that only takes a name from the library, or declares one, or a comment."""
_WITHOUT_NEW = (".py", ".rb", ".rs", ".go", ".kt", ".swift")
_NO_CODE = frozenset(
    {"sh", "bash", "shell", "console", "json", "yaml", "toml", "html", "text", "diff"}
)
"""Languages of blocks in which no library is used."""
_Example = tuple[tuple[str, ...], str, int]


class Offer(NamedTuple):
    """`name` as users write it; `spot` is where it is declared, None for what is not known. The
    lines of `example` are those of a document or test, from `line` of the file `path` on."""

    name: str
    spot: Spot | None
    example: tuple[str, ...] = ()
    path: str = ""
    line: int = 0


@query
def fronts(facts: Facts) -> Mapping[str, str]:
    """The files that are loaded first where libraries are imported, with the names of those."""
    found: dict[str, str] = {}
    for name, entry in packages(facts).items():
        word = name.replace("-", "_")
        paths = (f"lib/{name.replace('-', '/')}.rb", f"lib/{word}.rb", f"{word}/__init__.py",
                 f"src/{word}/__init__.py", "src/lib.rs")  # fmt: skip
        for path in (entry, *paths):
            if path in facts.code:
                found.setdefault(path, name)
    return found


@query
def given(facts: Facts) -> Mapping[str, Spot | None]:
    """What the first files of libraries give to their users, by name; nothing for few names."""
    named = {name: spot for path in fronts(facts) for name, spot in _given(facts, path)}
    return named if sum(spot is not None for spot in named.values()) >= OFFERS_MIN else {}


@query
def offers(facts: Facts) -> tuple[Offer, ...]:
    """What libraries give, else all that their files declare; those first that documents show,
    then those that tests do."""
    named = given(facts) or _declared(facts)
    shown = _in_documents(facts, named)
    left = {name: spot for name, spot in named.items() if name not in shown}
    shown.update(_in_tests(facts, left))
    ordered = [*(name for name in named if name in shown), *(it for it in named if it not in shown)]
    return tuple(Offer(it, named[it], *shown.get(it, ())) for it in ordered[:OFFERS_MAX])


def _declared(facts: Facts) -> Mapping[str, Spot]:
    """The types and functions that are declared once, those of the files that matter most first."""
    spots = [some[0] for some in public(facts).values() if len(some) == 1]
    order = by_importance(facts, [*{it.path: it for it in spots}])
    places = {path: at for at, path in enumerate(order)}
    spots.sort(key=lambda it: places[it.path])
    return {it.name.rpartition(".")[2]: it for it in spots}


def _given(facts: Facts, path: str) -> Iterator[tuple[str, Spot | None]]:
    """The names that a file gives to who imports it."""
    said = facts.code[path]
    taken = [it for it in said.imports if it.kind == "reexport" or path.endswith("__init__.py")]
    names = dict.fromkeys((*(said.exports or ()), *(it.name for it in public_of(facts, path)),
                           *(name for it in taken for name in it.bound)))  # fmt: skip
    loaded = {it.bound[0].removeprefix("exports."): it.name for it in said.imports if it.bound}
    for name in names:
        end = declaration(facts, path, name)
        spot = Spot(end[0], end[1].qualified) if end else None
        if spot is None and name in loaded and said.exports is not None:
            files = meant(facts, path, f"require('{loaded[name]}')")
            spot = by_default(facts, files[0].path) if files else None
        if not name.startswith("_") and (spot is not None or name in (said.exports or ())):
            yield name, spot


def _in_documents(facts: Facts, named: Mapping[str, Spot | None]) -> dict[str, _Example]:
    """The first line of code in documents that calls each name or makes one of it."""
    found: dict[str, _Example] = {}
    for document in sorted(chosen(facts), key=lambda it: not it.path.lower().startswith("readme")):
        for number, line, words in _lines(facts, document.path) if tells_what_is(document) else ():
            for name in _used(facts, named, words, is_outside=True):
                found.setdefault(name, ((line,), document.path, number))
    return found


_Words = tuple[str, str, str, str]
"""See `_NAMING`."""


@of_file
def _lines(facts: Facts, path: str) -> list[tuple[int, str, list[_Words]]]:
    """The lines of code of a document that name something, each with that."""
    blocks = (it for it in documents_by_path(facts)[path].code if it.language not in _NO_CODE)
    lines = (row for block in blocks for row in enumerate(block.text.split("\n"), block.line))
    return [(number, line.strip(), words) for number, line in lines if (words := _named(line))]


def _named(line: str) -> list[_Words]:
    """What a line names; nothing where it is too long, or only takes something."""
    return [] if len(line) > LETTERS_MAX or _TAKING.match(line) else _NAMING.findall(line)


def _used(
    facts: Facts, named: Mapping[str, Spot | None], words: Sequence[_Words], *, is_outside: bool
) -> Iterator[str]:
    """The names that a line of code calls, makes objects of or takes something out of."""
    for new, before, name, after in words:
        if before in named:
            yield before
        if name not in named:
            continue
        spot = named[name]
        path = spot.path if spot else ""
        is_new = new and not path.endswith(_WITHOUT_NEW)
        # In Go others name the package, and functions of PHP may be those of the language.
        is_bare = path.endswith(".go") or (path.endswith(".php") and name[0].islower())
        is_its = before in _homes(facts, spot) if before else not (is_outside and is_bare)
        if is_its and (is_new or (after and not new)):
            yield name


def _homes(facts: Facts, spot: Spot | None) -> set[str]:
    """What may stand before a name of the library: the package, the folder or what holds it."""
    homes = {*packages(facts), facts.commit.name}
    if spot is not None:
        homes |= {*spot.name.split(".")[:-1], *re.split(r"\W+", facts.code[spot.path].package)}
        homes |= {*spot.path.split("/")[-2:-1]}
    return homes


def _in_tests(facts: Facts, named: Mapping[str, Spot | None]) -> dict[str, _Example]:
    """The shortest test that uses each name."""
    found: dict[str, _Example] = {}
    for path, said in facts.code.items() if named else ():
        starts = sorted({it.line for it in said.tests if it.kind == "test"})
        lines = lines_of(facts, path) if starts else []
        ends = {it.line: it.end for it in said.symbols}
        for start, end in pairwise([*starts, len(lines) + 1]):
            body = _body(
                lines[start - 1 : min(end - 1, start + LINES_MAX)], ends.get(start, 0) - start
            )
            for line in body[1:]:
                for name in _used(facts, named, _named(line), is_outside=False):
                    if name not in found or len(body) < len(found[name][0]):
                        found[name] = (tuple(body), path, start)
    return found


def _body(lines: Sequence[str], last: int) -> list[str]:
    """The lines of a test, up to the last one where it is a function, else as far as its indent
    tells; nothing for one that goes on."""
    margin = indent(lines[0]) if lines else 0
    if last >= 0:
        kept = lines[: last + 1] if last < len(lines) else ()
        return [it[margin:] if not it[:margin].strip() else it for it in kept]
    for at, line in enumerate(lines[1:], 1):
        if line.strip() and indent(line) <= margin:
            closes = line.strip() in ("end", "}", "});", "})")
            return [it[margin:] for it in lines[: at + closes]]
    return []
