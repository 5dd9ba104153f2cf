"""Guards that handlers have by themselves or by the classes that hold them: decorators and
permissions of Python, `[Authorize]` of .NET, what functions of Go wrap and those of Rust take, and
what those of JavaScript do first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from stationmaster.catalogue.middleware import is_guard, middleware
from stationmaster.catalogue.table import compiled
from stationmaster.reading.code.explaining import margin
from stationmaster.reading.code.languages.csharp.web import marked
from stationmaster.reading.code.model import Symbol
from stationmaster.reading.code.signatures import arguments_from
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.interfaces import wrappers
from stationmaster.wiki.facts.code.names import types
from stationmaster.wiki.facts.code.symbols import TYPES
from stationmaster.wiki.facts.guarding import permissions
from stationmaster.wiki.facts.guarding.guards import (
    Guard,
    declared,
    forbidden,
    forbidding,
    in_body,
    named,
    refusal,
)
from stationmaster.wiki.facts.guarding.stopping import stopping
from stationmaster.wiki.facts.interfaces.credentials import extracted
from stationmaster.wiki.facts.model import Facts, Spot, query

_LINES_MAX = 20
"""Of a list that goes on over lines."""
_ASKED_ALL = frozenset({"guards", "permission_classes"})
_LISTED = re.compile(
    r"(?<!\s)\s++(permission_classes|guards|filter_backends|(?:method_)?decorators)\b[^=]{0,80}=\s*(?=[\[(\w])"
)
_DEPENDED = re.compile(
    r"(?<!\s)\s++(\w++)\s*+:[^=]{1,100}=\s*+(Depends|Security)\(\s*+([A-Za-z_][\w.]*)"
)
"""An attribute of a class of FastAPI's handlers that every request is asked for."""
_DOTTED = re.compile(r"[A-Za-z_][\w.]*")
_TEXT = re.compile(r"\"[^\"]*\"|'[^']*'")
_MADE = re.compile(r"(?:=|\breturn)\s{0,40}([\w.]{1,200})\(func\(")
_MIXIN = re.compile(r"\w*(?:Required|PassesTest)Mixin")
_NEEDED = re.compile(r"(?<!\s)\s++permission_required\s*+=\s*+(?=[\[(\"'])")
_NAMES = re.compile(r"[\"']([\w.:-]+)[\"']")
_LITERAL = re.compile(
    r"\s*(?:\w{1,40}\s?=\s?)?[\[(]?(?:\"[^\"]{1,80}\"|'[^']{1,80}'|-?\d{1,9}|True|False|None)[\])]?"
)
"""What a decorator is given that says itself what it is."""
_OF_ROUTE = re.compile(r"\bguards\s*+=\s*+\[([^\[\]]{1,400})\]")
"""What a decorator of Litestar's asks before its handler."""
_IF = re.compile(r"(\s+)(if .{1,100}?):(?:\s*#.*)?")
_INDENTED = "\t"
_IF_OF_GO = re.compile(r"(\t+)(if .{1,160}) \{")
_WRAPPED = re.compile(r"@method_decorator\(\s*+((?:[\[(][^\[\]]{0,400})|[\w.]{1,200})")
_LISTED_NAME = re.compile(r"(?<![\w.=\"'])[A-Za-z_][\w.]{0,200}+(?=\s{0,40}(?:[,(\]]|$))")
"""What a list of decorators names, not what these are given."""

_SCRIPTS = (".js", ".jsx", ".mjs", ".ts", ".tsx")


def asking(
    facts: Facts, path: str, symbol: Symbol, view: tuple[str, str] | None = None
) -> tuple[Guard, ...]:
    """The guards that a handler has by itself or by its class, in the order in which they run;
    `view` is the class of Python that answers with a handler which it may inherit."""
    holder = symbol.qualified if symbol.kind in TYPES else symbol.container
    where, view_name = view or (path, holder)
    if path.endswith(".go"):
        return (*_wrapping(facts, path, symbol), *_answering(facts, path, symbol))
    if path.endswith(".rs"):
        return tuple(Guard(*it) for it in extracted(facts, symbol))
    if path.endswith(".py"):
        found = [*_hooked(facts, where, view_name), *_decorators(facts, path, symbol)]
        found += [*_permissions(facts, where, view_name, path, symbol)] if holder else []
        found += [] if symbol.kind in TYPES else _forbidding(facts, path, symbol)
    elif path.endswith(".cs") and holder:
        found = [*_authorized(facts, path, holder, symbol)]
    else:
        found = [*stopping(facts, path, symbol)] if path.endswith(_SCRIPTS) else []
    return tuple(dict.fromkeys(found))


def _authorized(facts: Facts, path: str, holder: str, method: Symbol) -> Iterator[Guard]:
    """`[Authorize]` of the nearest class that a controller builds on, unless it lets all in."""
    places = [(path, holder), *types(facts).around((path, holder))]
    stated: list[tuple[str, Symbol, Spot | None]] = [(path, method, None)]
    stated += [(it[0], symbol, Spot(*it)) for it in places if (symbol := symbol_of(facts, *it))]
    for where, symbol, spot in stated:
        if "AllowAnonymous" in symbol.marks:
            return
        if "Authorize" in symbol.marks:
            lines = lines_of(facts, where)[max(symbol.line - _LINES_MAX, 0) : symbol.line]
            asked = marked("\n".join(lines).rpartition("\n\n")[2])
            policies = named(facts, where, [it for it in asked if "(" in it], symbol.line)
            yield from policies or [Guard("Authorize", spot)]
            return


def _wrapping(facts: Facts, path: str, handler: Symbol) -> Iterator[Guard]:
    """`var show = withUser(func…)` of Go, and a function that returns such a handler."""
    for line in lines_of(facts, path)[handler.line - 1 : handler.end]:
        made = _MADE.search(line)
        if made is not None and is_guard(made[1]):
            yield Guard(made[1], declared(facts, path, made[1]))
            return


def _answering(facts: Facts, path: str, handler: Symbol) -> Iterator[Guard]:
    """The conditions under which a handler of Go itself answers 401 or 403 at once, also in the
    function that it returns."""
    lines = lines_of(facts, path)[handler.line - 1 : handler.end]
    form, inner = forbidden(), _INDENTED
    for at, line in enumerate(lines[1:], 1):
        if line.startswith(f"{inner}return func("):
            inner += _INDENTED
        asked = _IF_OF_GO.fullmatch(line)
        if asked and asked[1] == inner:
            rest = enumerate(lines[at + 1 :], at + 1)
            end = next((number for number, text in rest if text.startswith(f"{inner}}}")), at)
            block = lines[at + 1 : end]
            answers = [it for it in block if form.search(_TEXT.sub("", it.partition("//")[0]))]
            if answers and any(it.lstrip().startswith("return") for it in block[-1:]):
                yield refusal(_TEXT.sub("", answers[0]), asked[2])


def _permissions(
    facts: Facts, path: str, holder: str, of_handler: str, handler: Symbol
) -> Iterator[Guard]:
    """The permissions of a view: those of its action, which the file `of_handler` declares, its own
    lists, or the nearest that it inherits."""
    stated: set[str] = set()
    chooser = permissions.choosing(facts, path, holder, handler)
    own_lists = (chooser,) if chooser else permissions.of_action(facts, of_handler, handler)
    if own_lists is not None:
        yield from own_lists
        stated.add("permission_classes")
    around_it = [*types(facts).around((path, holder))]
    stating = (
        _assigned(facts, place[0], line, match.end())
        for place in around_it
        for line, match in in_body(facts, *place, _NEEDED)
    )
    needed, check = ", ".join(_NAMES.findall(next(stating, ""))), None
    mixins = set[str]()
    for where, name in around_it:
        symbol = symbol_of(facts, where, name)
        yield from _decorators(facts, where, symbol) if symbol else ()
        own = symbol_of(facts, where, f"{name}.has_permission")
        check = check or (Spot(where, own.qualified) if own else None)
        for base in symbol.bases if symbol else ():
            if _MIXIN.fullmatch(base.rpartition(".")[2]):
                is_of_rights = "Permission" in base
                words, spot = base, declared(facts, where, base)
                if is_of_rights and check:  # What a class asks itself replaces what is above it.
                    words, spot = check.name, check
                if words.rpartition(".")[0] not in mixins:
                    yield Guard(f"{words}({needed})" if needed and is_of_rights else words, spot)
                mixins.add(base.rpartition(".")[2])
        lists = _lists(facts, where, name)
        for kind, guards in lists:
            for guard in guards if kind not in stated else ():
                if kind in _ASKED_ALL or is_guard(guard.name):
                    yield guard
        stated |= {kind for kind, _ in lists}
        attributes = {name: rest for name, *rest in _depended(facts, where, name)}
        for attribute, (kind, dependency) in attributes.items():
            if attribute not in stated and (kind == "Security" or is_guard(dependency)):
                yield Guard(dependency, declared(facts, where, dependency))
        stated |= attributes.keys()


def _hooked(facts: Facts, path: str, holder: str) -> Iterator[Guard]:
    """The nearest of the methods of a class that run before its handlers and may answer 401 or 403
    instead of them, with those that it calls of the classes above."""
    form = forbidding()
    for hook in middleware().guards.hooks if holder else ():
        for where, name in types(facts).around((path, holder)):
            method = symbol_of(facts, where, f"{name}.{hook}")
            written = lines_of(facts, where)[method.line - 1 : method.end] if method else []
            if method and form.search("\n".join(written)):
                yield Guard(method.qualified, Spot(where, method.qualified))
            if method and not any("super(" in line for line in written):
                break


@query
def _forbidding(facts: Facts, path: str, handler: Symbol) -> tuple[Guard, ...]:
    """The conditions under which a handler of Python itself answers 401 or 403 at once, or sends
    away who is not known or has no right."""
    lines = lines_of(facts, path)[handler.line - 1 : handler.end]
    head = next((at for at, line in enumerate(lines) if line.rstrip().endswith(":")), len(lines))
    first = next((line for line in lines[head + 1 :] if line.strip()), "")
    inner, found = margin(first), list[Guard]()
    for at, line in enumerate(lines[head + 1 :], head + 2):
        asked = _IF.fullmatch(line)
        if asked and asked[1] == inner:
            match = forbidding().match("\n".join(lines[at : at + 2]))
            if match is None and compiled(middleware().guards.unknown).match(asked[2]):
                match = _redirecting(lines[at : at + _LINES_MAX], inner)
            if match is not None:
                found.append(refusal("".join(match[1].split()), asked[2]))
    return tuple(found)


def _redirecting(lines: Sequence[str], outer: str) -> re.Match[str] | None:
    """What sends a request elsewhere at the end of a block, whose first lines are these."""
    block = takewhile(
        lambda it: not it.strip() or it.startswith((f"{outer} ", f"{outer}\t")), lines
    )
    written = [line for line in block if line.strip()]
    inner = margin(written[0]) if written else ""
    form = compiled(middleware().guards.redirecting)
    ends = (form.match(line) for line in written if line.startswith(f"{inner}return "))
    return next(ends, None)


def _decorators(facts: Facts, path: str, symbol: Symbol) -> Iterator[Guard]:
    """The decorators of a view of Python that let only some through, also on a class."""
    if symbol.marks:
        lines = lines_of(facts, path)
        above = "\n".join(lines[max(symbol.line - 1 - _LINES_MAX, 0) : symbol.line])
        own = above.rpartition("\n\n")[2]
        for mark in symbol.marks:
            names = [mark]
            if mark == "method_decorator":
                names = [
                    it for words in _WRAPPED.findall(own) for it in _LISTED_NAME.findall(words)
                ]
            if mark in _ASKED_ALL and f"@{mark}(" in above:
                inner = arguments_from(above, above.rindex(f"@{mark}(") + len(f"@{mark}("))
                yield from permissions.listed(facts, path, ", ".join(inner))
                continue
            for name in names:
                spot = declared(facts, path, name)
                known = wrappers(facts).get((spot.path, spot.name)) if spot else None
                # `auth.route` is what declares the route, on a router that is called so.
                if is_guard(name.rpartition(".")[2]) or (known and known.refuses):
                    yield from _with_texts(name, spot, own)
        for name in (it for listed in _OF_ROUTE.findall(own) for it in _DOTTED.findall(listed)):
            yield Guard(name, declared(facts, path, name))


def _with_texts(name: str, spot: Spot | None, above: str) -> Iterator[Guard]:
    """A decorator as a guard, for each time that it stands above a function or class with what it
    is given there, as far as that is written out: `permission_required("shop.sell")`."""
    for text in re.findall(rf"(?<![\w.]){re.escape(name)}\(([^()]*)", above) or ("",):
        words = " ".join(text.split()).rstrip(", ")
        is_literal = words and all(map(_LITERAL.fullmatch, words.split(",")))
        yield Guard(f"{name}({words})" if is_literal else name, spot)


@query
def _depended(facts: Facts, path: str, holder: str) -> tuple[tuple[str, str, str], ...]:
    """The attributes in the body of a class that are dependencies, and of which kind and what."""
    matches = in_body(facts, path, holder, _DEPENDED)
    return tuple((match[1], match[2], match[3]) for _, match in matches)


@query
def _lists(facts: Facts, path: str, holder: str) -> tuple[tuple[str, tuple[Guard, ...]], ...]:
    """The lists of permissions and filters in the body of a class."""
    return tuple(
        (
            match[1],
            tuple(permissions.listed(facts, path, _assigned(facts, path, line, match.end()))),
        )
        for line, match in in_body(facts, path, holder, _LISTED)
    )


def _assigned(facts: Facts, path: str, number: int, column: int) -> str:
    """What stands from a column of a line on, to the end of its brackets."""
    first, *more = lines_of(facts, path)[number - 1 : number + _LINES_MAX]
    text = first[column:]
    for line in more:
        if text.count("(") + text.count("[") <= text.count(")") + text.count("]"):
            break
        text += line.partition("#")[0]
    return text.partition("#")[0]
