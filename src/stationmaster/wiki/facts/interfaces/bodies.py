"""What handlers take from requests: the types that a body or a query is read into, the rules that
check it, each with its own lines, and names of single values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from stationmaster.catalogue.middleware import Taken, middleware
from stationmaster.catalogue.table import compiled
from stationmaster.reading.code.explaining import docstring
from stationmaster.reading.code.model import Symbol
from stationmaster.wiki.facts.code.bindings import declaration
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import handler_of
from stationmaster.wiki.facts.code.symbols import TYPES
from stationmaster.wiki.facts.interfaces.routes import Endpoint, endpoints
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.parting import Sheet, by_area

BODY_LINES_MAX = 40
"""Of a type or of rules that are shown."""
_HANDLER_LINES_MAX, _LINE_MAX = 600, 300
"""Of a handler that is read whole: of a longer one nothing is stated."""
_NAMED_LINES_MAX = 14
"""Of a type that a field of another names."""
_BASES_MAX = 3
_SENDING = frozenset({"ANY", "DELETE", "PATCH", "POST", "PUT"})
"""Methods of requests that have a body."""
_PASSED_MAX = 8
"""Functions that a handler gives the request."""
_VALUE = re.compile(r"\s*([\w.*\[\]-]+)")
_OF_PATH = re.compile(r"[:{<\[*](\w+)")
_OWN = re.compile(r"(?:\$this->|self\.|this\.|self::|static::)\$?(\w{1,80})")
_SET = re.compile(r"\s*(?:(?:array|private|protected|public|readonly|static)\s+)+\$(\w{1,80})\s*=")
"""A property of PHP with its value."""
_TYPE = re.compile(r"[\s*\[\]<:]([A-Z]\w{1,80})")
_FOREIGN = re.compile(r"\w\.[A-Z]\w*\s*\Z")
"""The name of a type alone, which states nothing of its fields."""
_BASE = re.compile(r"[A-Za-z_][\w.]*")
_TYPES_OF = re.compile(r"[\[<]")
"""What begins the parameters of a type that is extended."""
_BESIDE = re.compile(r"\s*(?:$|[@#*\[]|//|/\*|\"\"\"|[{}]\s*$)")
"""Lines that are blank, comments and marks of what follows, brackets alone."""
_INHERITED = re.compile(r"\bparent::|\bsuper\b")
_NOTHING = re.compile(
    r"[^{]*;\s*|(?:(?!return).)*return\s*(?:\[\s*\]|array\(\s*\));\s*\}\s*", re.DOTALL
)
"""A method without a body, or one that returns nothing."""
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.){0,300}+\"|'(?:[^'\\]|\\.){0,300}+'|//.*|(?<!\S)#\s.*")


class Part(msgspec.Struct, frozen=True):
    """Lines that say what requests may hold. `name` is that of a type, method or constant, '' for
    rules within a handler."""

    name: str
    path: str
    line: int
    end: int


class Body(msgspec.Struct, frozen=True):
    """What one handler takes. `values` are the names of what it reads one by one, `queries` those
    of the query, with the lines of the handler or of a function that it gives the request."""

    methods: tuple[str, ...]
    route: str
    handler: Part
    parts: tuple[Part, ...]
    values: tuple[str, ...]
    queries: tuple[tuple[Part, tuple[str, ...]], ...]


@query
def bodies(facts: Facts) -> tuple[Body, ...]:
    """By path, then method."""
    listed = []
    for endpoint in endpoints(facts):
        handler = _handler(facts, endpoint)
        taken = middleware().taken.get(f".{handler.path.rpartition('.')[2]}") if handler else None
        if taken is None or handler is None:
            continue
        reader = _Reader(facts, taken, handler)
        has_body = bool(_SENDING.intersection(endpoint.methods))
        bare, forms = reader.bare(endpoint)
        parts = (*dict.fromkeys((*(reader.parts() if has_body else reader.asked()), *forms)),)
        queries = tuple(reader.queries(endpoint.route))
        read = taken.values if has_body or taken.mixed else ()
        either = (*reader.values(taken.either, endpoint.route), *bare)
        values = (*dict.fromkeys((*reader.values(read, endpoint.route), *either)),)
        if parts or values or queries:
            is_of_body = has_body and not (queries or either or forms or taken.mixed)
            methods = tuple(it for it in endpoint.methods if not is_of_body or it in _SENDING)
            listed.append(Body(methods, endpoint.route, handler, parts, values, queries))
    return tuple(listed)


@query
def body_sheets(facts: Facts) -> tuple[Sheet[Body], ...]:
    """By the first step of their paths that tells something."""
    return by_area(bodies(facts), "Bodies")


def _handler(facts: Facts, endpoint: Endpoint) -> Part | None:
    """The lines of a handler, or those of the route where it stands there."""
    if endpoint.handler and not endpoint.handler_path:
        return None
    path, line, end = endpoint.handler_path, endpoint.handler_line, endpoint.handler_end
    if not path:
        path, line = endpoint.path, endpoint.line
        end = _end(lines_of(facts, path), line, _HANDLER_LINES_MAX)
    is_whole = end < line + _HANDLER_LINES_MAX - 1
    return Part(endpoint.handler, path, line, end) if is_whole else None


class _Reader:
    """What one handler takes."""

    def __init__(self, facts: Facts, taken: Taken, handler: Part) -> None:
        self._facts, self._taken, self._handler = facts, taken, handler
        lines = lines_of(facts, handler.path)[handler.line - 1 : handler.end]
        self._lines = [*self._asking(lines[:_HANDLER_LINES_MAX])]
        self._text = "\n".join(self._lines)

    def _asking(self, lines: Sequence[str]) -> Iterator[str]:
        """The lines of a handler, empty where they describe what it answers."""
        depth = 0
        for line in lines:
            begins = self._taken.answers and compiled(self._taken.answers).match(line)
            is_answer = depth > 0 or bool(begins)
            depth += _opened(_QUOTED.sub("", line[:_LINE_MAX])) if is_answer else 0
            yield "" if is_answer else line[:_LINE_MAX]

    def parts(self) -> Iterator[Part]:
        """The declarations and statements that say what a request may hold."""
        for name in self._found(self._taken.types):
            yield from self._typed(name, is_certain=not self._taken.bases)
        for variable in self._found(self._taken.variables):
            forms = [form.replace("%s", re.escape(variable)) for form in self._taken.declared]
            names = self._found(forms)
            typed = [part for name in names for part in self._typed(name)]
            yield from typed or self._stated((*names, variable))
        for name in self._found(self._taken.rules):
            end = declaration(self._facts, self._handler.path, name)
            if end is not None and end[1].kind in ("constant", "variable", "property"):
                yield Part(name, end[0], end[1].line, end[1].end)
        for name in self._found(self._taken.helpers):
            yield from self._beside(name)
        yield from self._checks()

    def _named(self, part: Part) -> Iterator[Part]:
        """The short types that the fields of one name which has a line or two."""
        fields = lines_of(self._facts, part.path)[part.line : part.end]
        for name in _TYPE.findall(_QUOTED.sub("", " ".join(fields))) if len(fields) < 4 else ():
            end = _type(self._facts, part.path, name, part.line)
            if end is not None and end[1].end - end[1].line < _NAMED_LINES_MAX:
                yield Part(end[1].qualified, end[0], end[1].line, end[1].end)

    def _stated(self, names: Sequence[str]) -> Iterator[Part]:
        """The first statement that declares a type within the handler, or a variable of a type that
        the product does not declare."""
        lines = lines_of(self._facts, self._handler.path)
        for name in names if self._taken.stating else ():
            stating = compiled(self._taken.stating.replace("%s", re.escape(name)))
            for number, line in enumerate(self._lines, self._handler.line):
                if stating.search(line):
                    end = _end(lines, number, BODY_LINES_MAX)
                    if not _FOREIGN.search(line):
                        yield Part(name, self._handler.path, number, end)
                    return

    def asked(self) -> Iterator[Part]:
        """The types that a query is read into."""
        for name in self._found(self._taken.asked):
            yield from self._typed(name)

    def values(self, forms: Sequence[str], route: str) -> tuple[str, ...]:
        """The names of the values that are read one by one, but for parts of the path."""
        return self._single(self._found(forms), route)

    def queries(self, route: str) -> Iterator[tuple[Part, tuple[str, ...]]]:
        """The names of values of the query, in the handler and in functions that are given the
        request."""
        if own := self._single(self._found(self._taken.queries), route):
            yield self._handler, own
        path, first = self._handler.path, self._handler.line
        for name in self._found(self._taken.passing)[:_PASSED_MAX]:
            spot = handler_of(self._facts, path, name, first)
            symbol = symbol_of(self._facts, spot.path, spot.name) if spot else None
            if spot is not None and symbol is not None and symbol.line != first:
                inner = Part(symbol.qualified, spot.path, symbol.line, symbol.end)
                reader = _Reader(self._facts, self._taken, inner)
                if names := self._single(reader._found(self._taken.queries), route):
                    yield inner, names

    def bare(self, endpoint: Endpoint) -> tuple[Sequence[str], Sequence[Part]]:
        """The names of values, and the types, of parameters that the framework reads from a query
        or a form although nothing marks them."""
        row = self._taken.bare.get(endpoint.framework)
        head = compiled(row.head).match(self._text) if row else None
        if row is None or head is None:
            return (), ()
        values = self._single(compiled(row.values).findall(head[0]), endpoint.route)
        file = "\n".join(lines_of(self._facts, self._handler.path))
        if compiled(row.supplied).search(file) or _extended(self._facts) & row.resolvers:
            return values, ()
        types = compiled(row.types).findall(head[0])
        return values, [part for name in types for part in self._typed(name)]

    def _single(self, found: Sequence[str], route: str) -> tuple[str, ...]:
        """Names, some of which are listed as `page, size = 10`."""
        matches = (_VALUE.match(it) for words in found for it in words.split(","))
        names = dict.fromkeys(match[1] for match in matches if match)
        return tuple(it for it in names if it not in _OF_PATH.findall(route) and it[0] != ".")

    def _found(self, forms: Sequence[str]) -> Sequence[str]:
        return [*dict.fromkeys(word for it in forms for word in compiled(it).findall(self._text))]

    def _checks(self) -> Iterator[Part]:
        """Statements that check a request, and the methods beside the handler that they name."""
        path, lines = self._handler.path, lines_of(self._facts, self._handler.path)
        forms = [compiled(form) for form in self._taken.checks]
        done = 0
        for number, line in enumerate(self._lines, self._handler.line):
            if number <= done or not any(form.search(line) for form in forms):
                continue
            done = min(_end(lines, number, BODY_LINES_MAX), self._handler.end)
            yield Part("", path, number, done)
            for name in _OWN.findall(" ".join(lines[number - 1 : done])):
                if not any(form.search(f"->{name}(") for form in forms):
                    yield from self._beside(name)

    def _beside(self, name: str) -> Iterator[Part]:
        """A method or property of the type that holds the handler; in Ruby also of one above."""
        path, written = self._handler.path, self._facts.code[self._handler.path].symbols
        holder = next((it.container for it in written if it.line == self._handler.line), "")
        symbol = symbol_of(self._facts, path, f"{holder}.{name}")
        if symbol is not None:
            yield Part(symbol.qualified, path, symbol.line, symbol.end)
            return
        spot = handler_of(self._facts, path, name, self._handler.line)
        above = symbol_of(self._facts, *spot) if spot and path.endswith(".rb") else None
        if spot is not None and above is not None:
            yield Part(above.qualified, spot.path, above.line, above.end)
            return
        lines, around = lines_of(self._facts, path), symbol_of(self._facts, path, holder)
        for number in range(around.line, around.end) if around else ():
            set_ = _SET.match(lines[number - 1][:_LINE_MAX])
            if set_ and set_[1] == name:
                yield Part(f"{holder}.{name}", path, number, _end(lines, number, BODY_LINES_MAX))

    def _typed(self, name: str, *, is_certain: bool = True) -> Iterator[Part]:
        """A type and those that it extends."""
        waiting, seen = [(self._handler.path, name)], list[Part]()
        is_body, is_replaced, count = is_certain, False, 0
        while waiting and count <= _BASES_MAX:
            path, word = waiting.pop(0)
            count += 1
            end = _type(self._facts, path, word, self._handler.line)
            if end is None or end[1].kind == "enum":
                continue
            where, symbol = end
            named = [base for it in symbol.bases for base in _BASE.findall(_TYPES_OF.split(it)[0])]
            is_body |= any(base.rpartition(".")[2] in self._taken.bases for base in named)
            waiting += [(where, base) for base in named]
            rules = self._rules(where, symbol)
            written = self._written(where, rules) if rules else ""
            if rules is None:
                seen += self._declared(where, symbol)
            elif not is_replaced and not _NOTHING.fullmatch(written):
                seen.append(Part(rules.qualified, where, rules.line, rules.end))
            is_replaced |= rules is not None and not _INHERITED.search(written)
        for part in seen if is_body else ():
            yield from (part, *self._named(part))

    def _rules(self, path: str, symbol: Symbol) -> Symbol | None:
        """The method in which a type has its rules."""
        names = (f"{symbol.qualified}.{method}" for method in self._taken.methods)
        return next((it for name in names if (it := symbol_of(self._facts, path, name))), None)

    def _written(self, path: str, symbol: Symbol) -> str:
        return "\n".join(lines_of(self._facts, path)[symbol.line - 1 : symbol.end])

    def _declared(self, path: str, symbol: Symbol) -> Iterator[Part]:
        """The lines of a type, without its methods where it is long; nothing of one that has
        nothing before its first function."""
        lines = lines_of(self._facts, path)
        inner = [
            it.line
            for it in self._facts.code[path].symbols
            if it.container == symbol.qualified and it.kind in ("function", "method")
        ]
        first, end = min(inner, default=symbol.end + 1), symbol.end
        head = _end(lines, symbol.line, BODY_LINES_MAX) if path.endswith(".py") else symbol.line
        _, written = docstring(lines, head) or (0, head)
        fields = [at for at in range(written + 1, first) if not _BESIDE.match(lines[at - 1])]
        if inner and not fields and symbol.line < first:
            return
        if end - symbol.line >= BODY_LINES_MAX and fields:
            end = fields[-1]
        yield Part(symbol.qualified, path, symbol.line, end)
        for method in self._taken.checking:
            if check := symbol_of(self._facts, path, f"{symbol.qualified}.{method}"):
                yield Part(check.qualified, path, check.line, check.end)


@query
def _extended(facts: Facts) -> frozenset[str]:
    """The names of all types that others extend or implement."""
    symbols = (it for code in facts.code.values() for it in code.symbols)
    return frozenset(_TYPES_OF.split(base)[0] for it in symbols for base in it.bases)


def _type(facts: Facts, path: str, name: str, line: int) -> tuple[str, Symbol] | None:
    """The type of product code that a file means by a name."""
    end = declaration(facts, path, name)
    spot = handler_of(facts, path, name, line) if end is None else None
    symbol = symbol_of(facts, spot.path, spot.name) if spot else None
    end = (spot.path, symbol) if spot and symbol else end
    is_type = end is not None and end[1].kind in TYPES
    return end if is_type and end and facts.records[end[0]].file_class == "source" else None


def _end(lines: Sequence[str], line: int, most: int) -> int:
    """The last line of the statement that begins in a line: that in which its brackets close."""
    depth = 0
    last = min(len(lines), line + most - 1)
    for number in range(line, last + 1):
        bare = _QUOTED.sub("", lines[number - 1][:_LINE_MAX])
        depth += _opened(bare)
        if depth <= 0 and not bare.rstrip().endswith((".", ",", "=", "&&", "||")):
            return number
    return last


def _opened(line: str) -> int:
    """How many more brackets a line opens than it closes."""
    return sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
