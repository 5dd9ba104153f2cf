"""A parsed file, and the reads that every language needs."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from tree_sitter import Language, Node, Query, QueryCursor

from stationmaster.catalogue import code
from stationmaster.catalogue.table import compiled
from stationmaster.reading.code.explaining import is_prose, without_rulers
from stationmaster.reading.code.languages.scopes import Scopes
from stationmaster.reading.code.model import DOC_MAX, TEXT_MAX, Symbol, SymbolKind
from stationmaster.reading.code.signatures import BODILESS
from stationmaster.reading.code.stored import Column, Entity, EntityKind

_QUERIES = Path(__file__).parent / "queries"
_SPACE = re.compile(r"\s+")
_SENTENCE = re.compile(r"(?<=[.!?])(?<!\bex\.)(?<!\be\.g\.)(?<!\bi\.e\.)\s+(?=[A-Z`(\[])")
_NOTHING = compiled(code.table("shared.comments.nothing", str))
_TITLE = compiled(code.table("shared.comments.title", str))
QUOTED = re.compile(r"[A-Za-z@$]{0,3}#{0,5}(\"\"\"|\'\'\'|[\"\'`])(.*)\1#{0,5}", re.DOTALL)
_DIRECTIVE = re.compile(
    rf"^[ \t]*(?:{'|'.join(code.ordered('shared.comments.directives'))}).*\n?", re.MULTILINE
)
_COMMENT_SIGNS = re.compile(
    r"^[ \t]*(?:/\*+!?|\*+/|//[/!]?|#+|\*(?!/))?[ \t]?|(?<![ \t*])[ \t]*+\*++/[ \t]*$"
)
_TAGGED = re.compile(r"/\*\*.*@(?:api|param|private|public|returns?)\b", re.DOTALL)
"""The start of a comment that documents what is below it, even below an empty line."""
HOLES = {"interpolation", "interpolated_expression", "template_substitution"}
HOLES |= {"string_interpolation", "variable_name"}
"""What makes a text depend on the moment it is made."""
_OPEN = frozenset({"interface", "trait", "protocol"})
_CLASSES = frozenset({"class", "interface", "struct", "enum", "trait", "protocol", "object"})
_LEVELS_MAX = 40
"""Of containers within containers."""
_FUNCTIONS = frozenset({"function", "method", "constructor"})
_MEMBERS = frozenset({"field_expression", "member_access_expression", "selector_expression"})
_CHAIN_MAX = 400


class Grammar:
    """The grammar of a language, with its queries: each is compiled when it is first used.

    `parts` are the names of the files, in the folder of a kind of query, that make one together.
    """

    def __init__(self, name: str, language: Language, parts: Iterable[str]) -> None:
        self.name = name
        self._language = language
        self._parts = tuple(parts)
        self._queries: dict[str, Query] = {}

    def query(self, kind: str) -> Query:
        """The query of a kind; one that matches nothing where the language has none."""
        if kind not in self._queries:
            files = (_QUERIES.joinpath(kind, f"{part}.scm") for part in self._parts)
            text = "\n".join(file.read_text() for file in files if file.is_file())
            self._queries[kind] = Query(self._language, text)
        return self._queries[kind]


class Source:
    """The bytes of a file and the root of their syntax tree."""

    def __init__(self, data: bytes, root: Node, grammar: Grammar) -> None:
        self.data = data
        self.root = root
        self.language = grammar.name
        self._grammar = grammar

    def text(self, node: Node | None) -> str:
        """The text of a node; '' for no node."""
        if node is None:
            return ""
        return self.data[node.start_byte : node.end_byte].decode(errors="replace")

    def part(self, node: Node | None, field: str) -> str:
        """The text of a field of a node; '' where one of both is missing."""
        return self.text(node.child_by_field_name(field)) if node is not None else ""

    def line(self, node: Node | None, length_max: int = TEXT_MAX) -> str:
        """A node's text as one line, cut; costs no more for a large node."""
        if node is None:
            return ""
        end = min(node.end_byte, node.start_byte + 4 * length_max)
        return one_line(self.data[node.start_byte : end].decode(errors="replace"), length_max)

    def matches(self, kind: str) -> list[dict[str, list[Node]]]:
        """The nodes of each match of a query by the names of captures."""
        return [
            captures for _, captures in QueryCursor(self._grammar.query(kind)).matches(self.root)
        ]

    def captures(self, kind: str) -> defaultdict[str, list[Node]]:
        """The nodes of a query by the names of captures, each list by place, the outer first."""
        captures = QueryCursor(self._grammar.query(kind)).captures(self.root)
        for nodes in captures.values():  # The library returns them in no order.
            nodes.sort(key=lambda node: (node.start_byte, -node.end_byte))
        return defaultdict(list, captures)

    @cached_property
    def lines(self) -> int:
        return self.data.count(b"\n") + (not self.data.endswith(b"\n") and bool(self.data))

    def literal(self, node: Node | None) -> str | None:
        """The content of a string literal; None for another node, or for an interpolated string.
        Escapes stay as written, except escaped ends of lines."""
        if node is None or "string" not in node.type:
            return None
        if node.type == "concatenated_string":
            parts = [self.literal(part) for part in node.named_children]
            return None if None in parts else "".join(part or "" for part in parts)
        if any(child.type in HOLES for child in node.named_children):
            return None
        match = QUOTED.fullmatch(self.text(node))
        return match[2].replace("\\\n", "") if match else None

    def arguments(self, node: Node | None) -> Arguments:
        """The arguments in a list (`argument_list`, `arguments`, …)."""
        if node is None:
            return Arguments()
        placed: list[Node] = []
        named: dict[str, Node] = {}
        for child in node.named_children:
            if "comment" in child.type or child.type == "block_argument":
                continue
            inside = child.named_children
            if child.type in _NAMED and len(inside) == 2:
                named.setdefault(self.text(inside[0]).strip(":"), inside[1])
            elif child.type in _WRAPPED and len(inside) == 1:
                placed.append(inside[0])
            else:
                placed.append(child)
        return Arguments(tuple(placed), named)


def line_of(node: Node) -> int:
    """The line where a node begins, from 1."""
    return node.start_point[0] + 1


def end_of(node: Node) -> int:
    """The last line of a node that has something of it."""
    row, column = node.end_point
    return row if column == 0 and row > node.start_point[0] else row + 1


def entity(
    node: Node,
    name: str,
    columns: Iterable[Column],
    symbol: str,
    framework: str,
    kind: EntityKind = "table",
) -> Entity:
    """The entity that a node declares."""
    return Entity(name, kind, line_of(node), end_of(node), tuple(columns), symbol, framework)


def entity_of(
    symbol: Symbol, name: str, columns: Iterable[Column], framework: str, kind: EntityKind = "table"
) -> Entity:
    """The entity of a symbol, under a name."""
    own = symbol.qualified
    return Entity(name, kind, symbol.line, symbol.end, tuple(columns), own, framework)


def child(node: Node | None, *steps: int | str) -> Node | None:
    """What steps lead to, by the place of a named child or the name of a field, without any the
    first child; None where there is no such."""
    for step in steps or (0,):
        if node is None:
            return None
        if isinstance(step, str):
            node = node.child_by_field_name(step)
        else:
            node = node.named_child(step) if step < node.named_child_count else None
    return node


def first_child(node: Node, kind: str) -> Node | None:
    """The first named child of a type; None without one."""
    return next((inner for inner in node.named_children if inner.type == kind), None)


def inside(node: Node | None, field: str = "") -> list[Node]:
    """The named children of a node, or of a field of it; [] where one of both is missing."""
    if node is not None and field:
        node = node.child_by_field_name(field)
    return node.named_children if node is not None else []


def given_to(call: Node | None) -> list[Node]:
    """The arguments of a call, without comments."""
    return [argument for argument in inside(call, "arguments") if "comment" not in argument.type]


def above(node: Node | None, *kinds: str, past: bool = False) -> Node | None:
    """The nearest node around another that is of one of these types, or `past` all of them."""
    around = (outer for outer, _ in outward(node)) if node is not None else ()
    return next((outer for outer in around if (outer.type in kinds) is not past), None)


def outward(node: Node, *ends: str) -> Iterator[tuple[Node, Node]]:
    """The nodes around another up to one of these types, each with the one before, outward."""
    while node.parent is not None and node.parent.type not in ends:
        yield node.parent, node
        node = node.parent


def within(node: Node) -> Iterator[Node]:
    """A node and all that is in it, by place."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.named_children)


def is_in(node: Node, other: Node) -> bool:
    """Is a node within another one, behind the begin of that?"""
    return other.start_byte < node.start_byte and node.end_byte <= other.end_byte


def calls_on(node: Node) -> Iterator[tuple[Node, Node]]:
    """The members of what a call returns that are called in turn, each with that call."""
    for _ in range(_CHAIN_MAX):
        member = node.parent
        call = member.parent if member is not None and member.type in _MEMBERS else None
        if member is None or call is None:
            return
        yield member, call
        node = call


def one_line(text: str, length_max: int = TEXT_MAX) -> str:
    """A text with single spaces, cut."""
    if len(text) <= length_max and text.isprintable() and "  " not in text:
        return text.strip()
    joined = _SPACE.sub(" ", text[: 4 * length_max]).strip()
    return joined if len(joined) <= length_max else joined[: length_max - 1].rstrip() + "…"


def first_sentence(text: str) -> str:
    """The first sentence of a comment without its marks; '' if it begins with an example or has no
    prose."""
    paragraphs = map(without_rulers, _TITLE.sub("", text.strip()).split("\n\n", 4)[:4])
    paragraph = next(filter(is_prose, paragraphs), "")
    text = "" if _NOTHING.match(paragraph) else _SPACE.sub(" ", paragraph)
    return one_line(_SENTENCE.split(text, maxsplit=1)[0], DOC_MAX)


_REMARK = re.compile(r"(?:^|(?<=\s))(?:// |#(?=[\s:]|$))[^\n]*(?:\n\s*|$)")


class Declared(NamedTuple):
    """A declaration as a query finds it. `node` spans all of it, `body` begins where its signature
    ends (None: it has none). `within` are dotted names of a container that is not around it, such
    as the receiver of a method in Go. `head` is where its signature begins where that is not where
    the node does: behind annotations, which are `notes`. `takes` see `Symbol`."""

    node: Node
    name: str
    kind: SymbolKind
    body: Node | None = None
    is_public: bool = True
    doc: str = ""
    bases: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    within: str = ""
    head: Node | None = None
    notes: tuple[Node, ...] = ()
    takes: str = ""

    def named(self, source: Source, names: Iterable[Node | None], sign: str = "") -> list[Declared]:
        """The same once for each name that is declared together, without a sign before it."""
        return [self._replace(name=source.text(name).lstrip(sign)) for name in names if name]


def declarations(source: Source, declared: Iterable[Declared]) -> tuple[tuple[Symbol, ...], Scopes]:
    """Symbols with their containers, by place, and the scopes that they make.

    A function in a class is a method. What is inside something private or inside a function is not
    public.
    """
    declared = list(declared)
    alike = Counter((row.node.parent, row.name) for row in declared if row.takes)
    symbols: list[Symbol] = []
    spans: list[tuple[int, int, str]] = []
    around: list[tuple[int, Symbol]] = []
    for row in sorted(declared, key=lambda row: (row.node.start_byte, -row.node.end_byte)):
        start, end = row.node.start_byte, row.node.end_byte
        while around and around[-1][0] <= start:
            around.pop()
        if spans and spans[-1][:2] == (start, end):
            around.pop()  # The same words declare both.
        holder = around[-1][1] if around else None
        kind, is_public, container = row.kind, row.is_public, row.within
        if holder is not None and len(around) < _LEVELS_MAX:
            container = f"{holder.qualified}.{container}" if container else holder.qualified
            is_public = is_public and holder.is_public and holder.kind not in _FUNCTIONS
        kind = "method" if kind == "function" and holder and holder.kind in _CLASSES else kind
        is_open = holder and holder.kind in _OPEN and kind == "method" and not row.body
        first = row.head or row.node
        ends = min(row.body.start_byte if row.body else end, first.start_byte + 1_000)
        head = _REMARK.sub("", source.data[first.start_byte : ends].decode(errors="replace"))
        symbol = Symbol(
            row.name,
            kind,
            line_of(first),
            end_of(row.node),
            container,
            is_public,
            one_line(head).rstrip(" :{=;"),
            row.doc,
            row.bases,
            (*row.marks, BODILESS) if is_open else row.marks,
            row.takes,
            bool(row.takes) and alike[row.node.parent, row.name] > 1,
        )
        symbols.append(symbol)
        spans.append((start, end, symbol.qualified))
        around.append((end, symbol))
    return tuple(symbols), Scopes(spans)


class Comments:
    """The comments of a file that are alone on their lines, by line."""

    def __init__(self, source: Source, nodes: Iterable[Node]) -> None:
        self._source = source
        self._by_end: dict[int, Node] = {}
        for node in nodes:
            begin = source.data.rfind(b"\n", 0, node.start_byte) + 1
            if not source.data[begin : node.start_byte].strip():
                self._by_end[end_of(node)] = node

    def sentence(self, node: Node, starts: tuple[str, ...] = ("",)) -> str:
        """The first sentence of the comments directly above a node."""
        return first_sentence(self.before(node, starts))

    def before(self, node: Node, starts: tuple[str, ...] = ("",)) -> str:
        """The text of the comments directly above a node, without their signs. `starts` are the
        signs that make a comment documentation (`/**`, `///`)."""
        line = line_of(node) - 1
        apart = self._by_end.get(line - 1)
        if apart and _TAGGED.match(self._source.text(apart)):
            line -= not self._source.data[apart.end_byte : node.start_byte].strip()
        parts: list[str] = []
        while (comment := self._by_end.get(line)) is not None and len(parts) < 1_000:
            text = self._source.text(comment)
            if not text.startswith(starts):
                break
            parts.append(uncommented(text))
            line = line_of(comment) - 1
        return _DIRECTIVE.sub("", "\n".join(reversed(parts)))


def uncommented(text: str) -> str:
    """A comment without the signs that make it one."""
    return "\n".join(_COMMENT_SIGNS.sub("", line) for line in text.splitlines())


class Arguments(NamedTuple):
    """The arguments of a call, a decorator or an annotation: nodes of values."""

    at: tuple[Node, ...] = ()
    named: Mapping[str, Node] = {}

    def all(self) -> tuple[Node, ...]:
        """The arguments by position, then those by name."""
        return (*self.at, *self.named.values())

    def get(self, *keys: int | str) -> Node | None:
        """The first that is there, by position or name."""
        for key in keys:
            if isinstance(key, str):
                if key in self.named:
                    return self.named[key]
            elif key < len(self.at):
                return self.at[key]
        return None


_WRAPPED = frozenset({"argument", "value_argument", "attribute_argument"})
_NAMED = _WRAPPED | {"keyword_argument", "pair", "element_value_pair", "named_argument"}


def path_below(prefix: str, path: str) -> str:
    """A route's path below a prefix, with one slash between them, and none where one is empty."""
    if prefix and path and not path.startswith("/") and not prefix.endswith("/"):
        return f"{prefix}/{path}"
    return prefix.rstrip("/") + path if path.startswith("/") else prefix + path
