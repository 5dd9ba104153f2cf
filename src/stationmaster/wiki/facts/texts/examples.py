"""What the users of a library call first, as the code in its documents shows it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec

from stationmaster.reading.code.explaining import closing
from stationmaster.reading.projects.documents import is_agent_file
from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.code.names import made_type, types
from stationmaster.wiki.facts.code.stations import entered
from stationmaster.wiki.facts.code.symbols import TYPES
from stationmaster.wiki.facts.extending.offered import (
    by_default,
    is_of_part,
    made_as,
    made_inside,
    packages,
    public,
)
from stationmaster.wiki.facts.model import Facts, Spot, of_file, query
from stationmaster.wiki.facts.texts.documents import chosen, tells_what_is
from stationmaster.wiki.markdown import fenced

USES_MAX, METHODS_MAX = 24, 60
"""Functions that may be listed, and methods of a type that are examined."""
RARE = 12
"""Of so many calls in documents one is enough to list a type or function."""
LINES_MAX, _LINE_MAX = 20_000, 300
"""Of documents that are read, and letters of a line."""
_BY_ITSELF = ("__call__", "__invoke", "ServeHTTP")
"""Methods that run when an object itself is called."""
_WITHOUT_NEW = (".py", ".kt", ".swift", ".scala")
_SIGNS = re.compile(r"->|::|[.\\]")
_CALL = re.compile(
    r"(?:(?<![\w$])(?P<kept>\$?\w++)(?:,\s?\w++(?= ?:=))?\s*+:?=\s*+)?"
    r"(?:(?:await|try)\s++)?(?P<new>\bnew\s++)?"
    r"(?<![\w$.>:\\])(?P<words>\\?+\$?+[A-Za-z_]\w*+(?:(?:->|::|[.\\])\w++)*+)\("
)
_TEMPLATE = re.compile(r"(?<![\w$.`])(\w++)`(?!`)")
"""A function of JavaScript that takes a text, as in ``run`build` ``."""
_METHOD = re.compile(r"(?:\.|->|::)(\w{1,60})\(")
_CHAINED = re.compile(r"\bnew\s+([\w.\\]{1,80})\([^()]{0,80}\)\)?(?:\.|->)(\w+)\(")
_TAKEN = re.compile(
    r"^[ \t]*+from[ ]++(?P<module>[\w.]++)[ ]++import[ ]++\(?(?P<names>[\w, \t]{1,400})"
    r"|^[ \t]*+import\s++(?P<default>\w++)?(?:\s*+,)?\s*+(?:\{(?P<inside>[^{}]{0,400})\}\s*+)?"
    r"from\s*+['\"](?P<package>[^'\"\n]{1,100})['\"]"
    r"|^[ \t]*+(?:const|let|var) (?:(?P<whole>\w++)|\{(?P<some>[^{}]{0,400})\}) = "
    r"require\(['\"](?P<required>[^'\"\n]{1,100})['\"]\)",
    re.MULTILINE,
)


class Use(msgspec.Struct, frozen=True):
    """What users call as `name`, with an example at `line` of the document `path`, which makes an
    object where it is the `maker` or a `method` of that.
    `within` see `Station`."""

    name: str
    spot: Spot
    path: str
    line: int
    kind: Literal["called", "maker", "method"] = "called"
    within: tuple[int, int] = (0, 0)

    @property
    def holder(self) -> str:
        """What it is declared in, else itself."""
        return self.spot.name.rpartition(".")[0] or self.spot.name

    @property
    def is_by_itself(self) -> bool:
        """Does it run when an object itself is called?"""
        return self.spot.name.rpartition(".")[2] in _BY_ITSELF

    @property
    def is_first(self) -> bool:
        """Do users call it for what it does?"""
        return self.kind == "called" or self.is_by_itself


@query
def uses(facts: Facts) -> tuple[Use, ...]:
    """What documents show, only those of the README where it shows any; then the methods of the
    types of which they make objects most often."""
    if not public(facts):
        return ()
    examples = _Examples(facts)
    left = LINES_MAX
    for document in chosen(facts):
        is_other = is_of_part(facts, document.path) or is_agent_file(document.path)
        if left > 0 and tells_what_is(document) and not is_other:
            left -= document.text.count("\n")
            examples.read(document.path, document.text)
    counts = Counter(use.spot for use in (*examples.called, *examples.made))

    def best(every: Sequence[Use]) -> list[Use]:
        """Without repetitions, only those of the README if it has any, the most frequent first."""
        own = [use for use in every if use.path.lower().startswith("readme")]
        first = {use.spot: use for use in reversed(own or every)}
        return sorted(first.values(), key=lambda use: (-counts[use.spot], use.path, use.line))

    every = [use.holder for use in examples.called]
    often = {holder for holder, count in Counter(every).items() if count * RARE >= len(every)}
    called = [use for use in best(examples.called) if use.holder in often]
    made = sorted(best(examples.made), key=lambda use: not _is_named_alike(facts, use))
    methods = [
        method for use in made for method in _methods(facts, use)
        if method.is_by_itself or method.name.rpartition(".")[2] in examples.methods
    ]  # fmt: skip
    kept = [it for it in methods if it.is_first or it.name.startswith(f"{made[0].name}.")]
    listed: dict[Spot, Use] = {}
    for use in (*called, *kept):
        listed.setdefault(use.spot, use)
    return tuple(sorted(listed.values(), key=lambda use: not use.is_first))[:USES_MAX]


def _is_named_alike(facts: Facts, use: Use) -> bool:
    """Is a type called as the library is?"""
    return use.name.lower() == facts.commit.name.lower()


def _methods(facts: Facts, made: Use) -> Iterator[Use]:
    """The public methods that a type itself has, the longest first."""
    methods = []
    for path, name in types(facts).methods(made.spot)[:METHODS_MAX]:
        symbol = symbol_of(facts, path, name)
        if symbol is None or path != made.spot.path or symbol.container != made.spot.name:
            continue
        is_called = symbol.name in _BY_ITSELF or not symbol.name.startswith("_")
        if symbol.kind == "method" and symbol.is_public and is_called:
            methods.append((symbol.line - symbol.end, Spot(path, name)))
    for _, spot in sorted(methods, key=lambda it: it[0]):
        name = f"{made.name}.{_bare(spot.name).rpartition('.')[2]}"
        yield Use(name, spot, made.path, made.line, "method")


class _Called(NamedTuple):
    """What an example calls as `name`: the function `spot`, where that is declared; `gives` is the
    type of what it makes."""

    name: str
    spot: Spot | None
    gives: Spot | None = None


class _Examples:
    """What the code of documents calls and makes, in their order."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self.called: list[Use] = []
        self.made: list[Use] = []
        self._public = public(facts)
        self._packages = packages(facts)
        self._variables: dict[str, _Called] = {}
        """The types of variables, by the calls that made them."""
        self.methods: set[str] = set()
        """What is called on anything, by name."""
        self._taken: dict[str, Spot | None] = {}
        """Names that a document imports, with the original names of renamed ones."""

    def read(self, path: str, text: str) -> None:
        self._variables, self._taken = {}, dict(self._imported(text))
        for number, line in _lines(self._facts, path):
            self.methods.update(line.methods)
            for words, is_new, kept in line.calls:
                called = self._called_by(words, is_new)
                if called is not None:
                    self._note(called, kept, path, number)
            for name in line.templates:
                if (spot := self._taken.get(name)) is not None:
                    self._note(_Called(name, spot), "", path, number)

    def _note(self, called: _Called, kept: str, path: str, line: int) -> None:
        if called.spot is not None:
            is_maker = called.gives is not None and called.spot.name.startswith(called.gives.name)
            is_inner = called.spot == self._taken.get(called.name)
            within = made_inside(self._facts, called.spot) if is_inner else (0, 0)
            kind: Literal["maker", "called"] = "maker" if is_maker else "called"
            self.called.append(Use(called.name, called.spot, path, line, kind, within))
        if called.gives is not None:
            if kept:
                self._variables[kept] = called
            name = _bare(called.gives.name).rpartition(".")[2]
            name = next((it for it, end in self._taken.items() if end == called.gives), name)
            self.made.append(Use(name, called.gives, path, line))

    def _imported(self, text: str) -> Iterator[tuple[str, Spot | None]]:
        for match in _TAKEN.finditer(text):
            package = match["module"] or match["package"] or match["required"]
            if any(
                package == it or package.startswith((f"{it}.", f"{it}/")) for it in self._packages
            ):
                names = match["names"] or match["inside"] or match["some"] or ""
                path = self._packages.get(package, "")
                for name, *alias in (it.split() for it in names.split(",") if it.strip()):
                    yield (alias or [name])[-1], made_as(self._facts, path, name)
                if whole := match["default"] or match["whole"]:
                    yield whole, by_default(self._facts, path)

    def _called_by(self, words: str, is_new: bool) -> _Called | None:
        first, *rest = [it.lstrip("$") for it in _SIGNS.split(words) if it.strip("$")]
        if first in self._variables:
            gives = self._variables[first].gives
            return self._method(gives, rest[0]) if gives and len(rest) == 1 else None
        if (end := self._taken.get(first)) is not None:
            symbol = symbol_of(self._facts, end.path, end.name)
            if symbol is None or symbol.kind not in TYPES:
                return _Called(first, end) if not rest else None
            return self._of_type(end, rest, is_new, first)
        names = [first, *rest]
        for number, name in enumerate(names):
            ends = self._public.get(name, ())
            types_ = [it for it in ends if _is_type(self._facts, it)]
            if end := _only(self._facts, types_, names[:number]):
                return self._of_type(end, names[number + 1 :], is_new, name)
            is_importable = name in self._taken if not number else names[0] in self._packages
            if is_importable and number == len(names) - 1:
                functions = [it for it in ends if it not in types_]
                end = _only(self._facts, functions, names[:number])
                return self._function(end, ".".join(names)) if end else None
        return None

    def _function(self, end: Spot, name: str) -> _Called:
        place = made_type(self._facts, end.path, _bare(end.name), _line(self._facts, end))
        return _Called(name, end, Spot(*place) if place else None)

    def _of_type(self, end: Spot, rest: list[str], is_new: bool, name: str) -> _Called | None:
        """What making an object of a type runs, or a function of the type itself."""
        if rest and not (len(rest) == 1 and end.path.endswith(".rb") and rest[0] == "new"):
            return self._method(end, rest[0], name) if len(rest) == 1 else None
        if not (is_new or rest or end.path.endswith(_WITHOUT_NEW)):
            return None
        maker = entered(self._facts, end)
        words = f"new {name}" if is_new else name
        return _Called(words, maker if maker != end else None, end)

    def _method(self, holder: Spot, name: str, shown: str = "") -> _Called | None:
        """A method by its name, of several overloaded the one with most to show."""
        own = [
            Spot(*it)
            for it in types(self._facts).methods(holder)
            if _bare(it[1]).rpartition(".")[2] == name
        ]
        if not own:
            return None
        end = max(own, key=lambda it: _length(self._facts, it))
        called = self._function(end, f"{shown or self._name(holder)}.{name}")
        is_making = shown and called.gives == holder
        return called if is_making or not shown else called._replace(gives=None)

    def _name(self, holder: Spot) -> str:
        named = (it.name for it in reversed(self.made) if it.spot == holder)
        return next(named, holder.name.rpartition(".")[2])


class _Line(NamedTuple):
    """What a line of code calls: on anything by name, as `_calls` has it, and with a text."""

    methods: list[str]
    calls: list[tuple[str, bool, str]]
    templates: list[str]


@of_file
def _lines(facts: Facts, path: str) -> list[tuple[int, _Line]]:
    """The lines of a document that call something, by number."""
    lines = [line[:_LINE_MAX] for line in facts.tree.text(path).split("\n")]
    calling = []
    for number, (line, is_code) in enumerate(zip(lines, fenced(lines), strict=True), 1):
        if is_code or line.startswith(("   ", "\t")):
            below = lines[number].lstrip() if number < len(lines) else ""
            calls = [*_calls(line, below.startswith((".", "?.", "->")))]
            row = _Line(_METHOD.findall(line), calls, _TEMPLATE.findall(line))
            calling += [(number, row)] if any(row) else []
    return calling


def _calls(line: str, goes_on: bool) -> Iterator[tuple[str, bool, str]]:
    """What a line of code calls, as written, whether it makes an object so, and the variable that
    keeps what it gives: none where more is called on that, on this line or the next."""
    for match in _CALL.finditer(line):
        rest = line[closing(line, match.end() - 1) or len(line) :].lstrip(" )")
        is_kept = match["kept"] and not goes_on and not rest.startswith((".", "?.", "->"))
        yield match["words"], bool(match["new"]), match["kept"].lstrip("$") if is_kept else ""
    for match in _CHAINED.finditer(line):
        yield f"{match[1]}.{match[2]}", False, ""


def _bare(name: str) -> str:
    """A qualified name without what it takes."""
    return name.partition("(")[0]


def _line(facts: Facts, spot: Spot) -> int:
    symbol = symbol_of(facts, spot.path, spot.name)
    return symbol.line if symbol else 0


def _length(facts: Facts, spot: Spot) -> int:
    symbol = symbol_of(facts, spot.path, spot.name)
    return symbol.end - symbol.line if symbol else 0


def _is_type(facts: Facts, spot: Spot) -> bool:
    symbol = symbol_of(facts, spot.path, spot.name)
    return symbol is not None and symbol.kind in TYPES


def _only(facts: Facts, ends: list[Spot], before: list[str]) -> Spot | None:
    """The one that is declared, or that is in the package or folder which is named before it."""
    if len(ends) > 1 and before:
        ends = [it for it in ends if before[-1] in _homes(facts, it.path)]
    return ends[0] if len(ends) == 1 else None


def _homes(facts: Facts, path: str) -> list[str]:
    return [*_SIGNS.split(facts.code[path].package)[-1:], *path.split("/")[-2:-1]]
