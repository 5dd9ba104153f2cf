"""Comments and code in full: the comment of a symbol, and the lines of it that pages show."""

from __future__ import annotations

import re
import textwrap
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import msgspec

from stationmaster.reading.code import bodies, deciding, explaining
from stationmaster.reading.code.model import Symbol
from stationmaster.reading.code.overloads import is_of_class
from stationmaster.wiki.facts.code.steps.twins import chosen
from stationmaster.wiki.facts.code.symbols import TYPES
from stationmaster.wiki.facts.model import Facts, of_file, query
from stationmaster.wiki.facts.texts.about import plain
from stationmaster.wiki.text.inline import Place

EXCERPT_MIN, ONE_STATEMENT_LINES = 3, 4
_APART = TYPES | {"function", "method", "constructor"}
_DOCUMENTED = (".py", ".pyi")
"""Files in which the comment of a function is within it."""
_DEFAULT = re.compile(r"=\s*[\w.]+\(")
_SCRIPT_LINES = 40
"""Behind the beginning of what a file does at top level; a script is that as a whole."""
_SAME, _BEFORE = 40, 2_000
"""Letters and digits that identify a comment, and those of it that are searched for them."""


class Comment(msgspec.Struct, frozen=True):
    """The words of a comment without its marks, and its place."""

    words: str
    place: Place


class Excerpt(msgspec.Struct, frozen=True):
    """Lines of code, in `spans`; `is_whole` where they are all lines of the symbol but those of its
    comment."""

    text: str
    place: Place
    language: str
    is_whole: bool
    spans: tuple[tuple[int, int], ...] = ()

    @property
    def lines(self) -> frozenset[int]:
        return frozenset(at for first, last in self.spans for at in range(first, last + 1))


def lines_of(facts: Facts, path: str) -> Sequence[str]:
    """The lines of a file. For questions."""
    return _split(facts.tree.text(path))


def numbered(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """The matches of a pattern in a text, each with its first line; the text is read once for all
    of them."""
    line, last = 1, 0
    for match in pattern.finditer(text):
        line += text.count("\n", last, match.start())
        last = match.start()
        yield line, match


def shown_lines(facts: Facts, path: str) -> Sequence[str]:
    """The lines of a file, with spaces for tabs."""
    return _split(facts.tree.text(path), is_expanded=True)


@lru_cache(64)
def _split(text: str, *, is_expanded: bool = False) -> Sequence[str]:
    return (text.expandtabs(4) if is_expanded else text).removesuffix("\n").split("\n")


def block_of(facts: Facts, path: str, line: int) -> tuple[int, int]:
    """The lines of a statement with its block, such as of a route with its handler."""
    return line, explaining.block_end(shown_lines(facts, path), line)


def defaults_end(facts: Facts, path: str, name: str) -> int:
    """The last line of a head with defaults that Python makes before the function is called; 0
    without any."""
    symbol = symbol_of(facts, path, name) if path.endswith(".py") else None
    if symbol is None or symbol.kind in TYPES or not _DEFAULT.search(symbol.signature):
        return 0
    return explaining.head_end(lines_of(facts, path), symbol.line)


def script_of(facts: Facts, path: str, line: int) -> tuple[int, int]:
    """The lines at the top level of a script that do something."""
    return line, facts.code[path].lines if line == 1 else line + _SCRIPT_LINES


@query
def some_lines(facts: Facts, path: str, first: int, last: int) -> tuple[str, ...]:
    """The lines from `first` to `last` of a file. Used by pages."""
    return tuple(lines_of(facts, path)[first - 1 : last])


@of_file
def comment(facts: Facts, path: str, name: str) -> Comment | None:
    """The comment of a symbol up to its parameters, or None; '' as `name` is the file itself."""
    if path not in facts.code:
        return None
    code = facts.code[path]
    lines = lines_of(facts, path)
    if not name:
        spans = (explaining.docstring(lines, 0), explaining.first_comment(lines))
        return _matching(path, lines, spans, code.doc)
    symbol = symbol_of(facts, path, name)
    if symbol is None or not symbol.doc:
        return None
    spans = (
        explaining.comment_above(lines, symbol.line),
        explaining.docstring(lines, symbol.line),
    )
    return _matching(path, lines, spans, symbol.doc)


@of_file
def excerpt(
    facts: Facts, path: str, name: str, whole: int,
    called: tuple[int, ...] = (), leading: tuple[int, ...] = (),
) -> Excerpt | None:  # fmt: skip
    """The lines of a symbol, or of a file; of one with more than `whole` lines those that decide
    what it does, among them the lines `called`, and first of all those `leading` on."""
    symbol = _holder(facts, path, name)
    if symbol is None or symbol.end - symbol.line + 1 < EXCERPT_MIN:
        return None
    lines = shown_lines(facts, path)
    start = max(1, symbol.line)
    doc = explaining.docstring(lines, start) if symbol.doc and path.endswith(_DOCUMENTED) else None
    first, last = doc if doc and doc[1] < symbol.end else (start, start - 1)
    spans = [it for it in ((start, first - 1), (last + 1, symbol.end)) if it[0] <= it[1]]
    is_whole = sum(end - begin + 1 for begin, end in spans) <= whole
    if not is_whole:
        body = _body(facts, path, name)
        spans = deciding.deciding(body, called, leading) if body else []
    if not spans:
        return None
    parts: list[str] = []
    for first, last in spans:
        if parts and not is_whole:
            indent = explaining.margin(lines[first - 1])
            parts.append(f"{indent}... line {first}")
        parts += lines[first - 1 : last]
    place = Place(path, spans[0][0], spans[-1][1])
    text = textwrap.dedent("\n".join(parts))
    return Excerpt(text, place, _language(facts, path), is_whole, tuple(spans))


@of_file
def compared(facts: Facts, path: str, name: str) -> tuple[int, ...]:
    """The lines of a function that give what it compares before it leaves a value."""
    body = _body(facts, path, name)
    return deciding.compared(body) if body else ()


@of_file
def only_statement(facts: Facts, path: str, name: str) -> str:
    """The only statement of a function, where it is one line below its head; else ''."""
    symbol = symbol_of(facts, path, name)
    if symbol is None or symbol.kind in TYPES or symbol.end - symbol.line > ONE_STATEMENT_LINES:
        return ""
    body = _body(facts, path, name)
    outer = body.outer if body else {}
    return body.text(next(iter(outer))).strip() if body and len(outer) == 1 else ""


class Conditions(msgspec.Struct, frozen=True):
    """The conditions `around` a line, the outermost first, and the `guards` above it, which leave
    the function in other cases, with their lines."""

    around: tuple[bodies.Condition, ...] = ()
    guards: tuple[tuple[int, bodies.Condition], ...] = ()


@of_file
def conditions(
    facts: Facts, path: str, name: str, calls: tuple[tuple[int, str], ...], first: int = 0
) -> tuple[Conditions, ...]:
    """The conditions under which some calls in a symbol, or at the top level of a file, run, by
    line and name of the call; without those of functions that are arguments of the statement at the
    line `first`."""
    if (body := _body(facts, path, name)) is None:
        return (Conditions(),) * len(calls)
    return tuple(
        Conditions(
            tuple(bodies.conditions(body, *call, first)),
            tuple(bodies.guards(body, call[0])),
        )
        for call in calls
    )


@of_file
def asked_at(facts: Facts, path: str, name: str, line: int) -> tuple[bodies.Condition, ...]:
    """The conditions under which a line of a symbol runs, loops left out."""
    body = _body(facts, path, name)
    stated = bodies.conditions(body, line) if body else ()
    return tuple(it for it in stated if not it.is_function and not bodies.LOOP.match(it.texts[0]))


@of_file
def chance(facts: Facts, path: str, name: str, line: int) -> bodies.Chance:
    """Whether a line of a symbol, or of a file's top level, runs in any case."""
    body = _body(facts, path, name)
    return bodies.chance(body, line) if body else "always"


@query
def _body(facts: Facts, path: str, name: str) -> bodies.Body | None:
    """The statements of a symbol, of a file's top level for no name; None for what is no symbol."""
    symbol = _holder(facts, path, name)
    if symbol is None:
        return None
    body = bodies.Body(shown_lines(facts, path), symbol, facts.records[path].language)
    for inner in () if name else facts.code[path].symbols:
        if inner.kind in _APART:  # What is declared there does not run there.
            for line in range(inner.line, inner.end + 1):
                body.outer.pop(line, None)
    return body


def _language(facts: Facts, path: str) -> str:
    """The word by which viewers of Markdown know a language: `csharp`, `cpp`."""
    word = facts.records[path].language.lower().split(" ")[0]
    return word.replace("#", "sharp").replace("++", "pp")


@of_file
def part_of(
    facts: Facts, path: str, first: int, last: int, most: int = explaining.EXCERPT_MAX
) -> Excerpt:
    """Some lines of a file, the first of them where they are more than `most`."""
    lines = shown_lines(facts, path)
    end = min(last, first + most - 1, len(lines))
    shown = textwrap.dedent("\n".join(lines[first - 1 : end]))
    place = Place(path, first, end)
    return Excerpt(shown, place, _language(facts, path), end == last, ((first, end),))


@query
def symbol_of(facts: Facts, path: str, name: str) -> Symbol | None:
    """The symbol of a file with a qualified name: of several that are of one kind, such as a
    declaration and its definition, the longest for Unix. Macros have names of their own."""
    return _symbols(facts, path).get(name)


def _holder(facts: Facts, path: str, name: str) -> Symbol | None:
    """A symbol, or a file as one."""
    return (
        symbol_of(facts, path, name) if name else Symbol(path, "module", 0, facts.code[path].lines)
    )


@query
def _symbols(facts: Facts, path: str) -> Mapping[str, Symbol]:
    alike: dict[str, list[Symbol]] = defaultdict(list)
    for symbol in facts.code[path].symbols:
        alike[symbol.qualified].append(symbol)
    return {
        name: _chosen(chosen(facts, path, some)) if some[1:] else some[0]
        for name, some in alike.items()
    }


def _chosen(alike: Sequence[Symbol]) -> Symbol:
    kind = next((symbol.kind for symbol in alike if symbol.kind != "macro"), "macro")
    of_kind = [symbol for symbol in alike if symbol.kind == kind]
    if kind == "property":  # The getter goes before the setter.
        return of_kind[0]
    return max(of_kind, key=lambda it: (is_of_class(it.signature), it.end - it.line))


def _matching(
    path: str, lines: Sequence[str], spans: Sequence[tuple[int, int] | None], doc: str
) -> Comment | None:
    """The comment with the sentence that the parser understood as its first one."""
    wanted = _letters(plain(explaining.without_references(doc)))[:_SAME]
    for span in spans if wanted else ():
        words = explaining.comment_words(lines, span) if span else ""
        # Before its first sentence there may be an example or a heading.
        if span and wanted in _letters(plain(words))[:_BEFORE]:
            return Comment(words, Place(path, *span))
    return None


def _letters(words: str) -> str:
    return "".join(filter(str.isalnum, words))
