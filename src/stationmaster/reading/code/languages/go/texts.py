"""What expressions in Go say as texts, with holes for what others tell.

`{$1}` stands for what the function around is given as its second argument, `{$1*}` for that and
each behind it, and `{$consts.Root}` for a constant of another file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from tree_sitter import Node

from stationmaster.reading.code.languages.go.frameworks import File, constants, values
from stationmaster.reading.code.languages.go.rows import Row
from stationmaster.reading.code.languages.source import (
    Source,
    above,
    child,
    first_child,
    given_to,
    inside,
    one_line,
    outward,
    within,
)

_DEPTH_MAX = 12
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_PART = re.compile(r"(?:[\w.-]|\{\$[\w.]{1,100}\}){1,100}")
"""What variables of the environment and keys are made of."""
_TOLD_MAX = 500
_CALL_MAX = 300
"""Letters of a handler within calls."""
_OPEN = re.compile(r"\{\$\d")
_UNKNOWN = "\0"
"""A value of a variable that is not known."""
_SEVERAL = re.compile(r"\{=(\w{1,80})@([\w.]{0,200})\}")
_VALUES_MAX = 4
_HOLE = re.compile(r"\{\$(\d{1,3})\*?\}")
_NAMED = re.compile(r"\{\$[A-Za-z_][\w.]*\}")
_BASE = re.compile(r"(?:(?i:base|root|prefix)\w{0,40}|\w{1,40}(?:Path|Prefix))$")
"""What is called so holds the path that a whole server is put below, if any."""
_MAKING = re.compile(r"(?i)^(?:\w+\.)?(?:create|handle|new|post|get)?(?:login|admin)$")
_CALLEE = re.compile(r"(?<![\w.\"])[A-Za-z_]\w{0,80}(?=\()")
_FUNCTIONS = frozenset({"function_declaration", "method_declaration"})
_NAMES = frozenset({"identifier", "selector_expression"})


_EXPRESSION = re.compile(
    r"\{([A-Za-z]\w{0,60}):(?![\w ]*\})(?:[^{}\\]|\\.|\{[\d,]{0,12}\}){1,200}\}(?!\{)"
)
"""A parameter of a path with an expression for it: `{oid:[0-9a-f]{64}}`. One called `_` says only
by that what it is, one that stands at the next only by that where it ends."""


def names_of_texts(file: File) -> tuple[tuple[str, str], ...]:
    """The constants of a file that addresses, variables and keys may be put together from, by
    name."""
    texts = Texts(file)
    return tuple(
        (name, text)
        for name, value in values(file).items()
        if value.named_child_count == 1
        and (text := texts.of(value.named_children[0])) is not None
        and (text.startswith("/") or _PART.fullmatch(text))
    )[:_TOLD_MAX]


def is_open(text: str) -> bool:
    """Does a text depend on what a function is given?"""
    return _OPEN.search(text) is not None


def call_words(source: Source, node: Node, depth: int = 0) -> str:
    """A handler as written, on one line and without what functions within hold: the arguments of
    calls are names, texts, calls, `func`, or `…` for anything else; '' for a function in its
    place, unless that ends by handing its request to what a call makes: `signedIn(show)(w, r)`."""
    served = child(node, "operand") if source.part(node, "field") == "ServeHTTP" else None
    if served is not None and served.type == "call_expression" and depth < _DEPTH_MAX:
        return call_words(source, served, depth + 1)
    match node.type:
        case "call_expression" if depth < _DEPTH_MAX:
            callee = child(node, "function")
            given = [call_words(source, it, depth + 1) for it in inside(node, "arguments")]
            name = call_words(source, callee, depth + 1) if callee is not None else ""
            return f"{name}({', '.join(given)})"[:_CALL_MAX]
        case "func_literal":
            made = None if depth else _handed(source, node)
            return call_words(source, made, 1) if made is not None else "func" * bool(depth)
        case "true" | "false" | "int_literal":
            return source.text(node)
        case "identifier" | "selector_expression" | "interpreted_string_literal":
            text = one_line(source.text(node), 100)
            return text if depth < 2 or _NAME.fullmatch(text) or text[:1] == '"' else "…"
    return one_line(source.text(node), 100) if not depth else "…"


def _handed(source: Source, closure: Node) -> Node | None:
    """The call that makes the handler which a function hands its own request to at its end."""
    last = child(closure, "body")
    while last is not None and last.type in ("block", "statement_list"):
        last = next((it for it in reversed(last.named_children) if it.type != "comment"), None)
    call = child(last) if last is not None and last.type == "expression_statement" else None
    own = [
        source.text(it)
        for row in inside(closure, "parameters")
        for it in row.children_by_field_name("name")
    ]
    if call is None or len(own) != 2 or [source.text(it) for it in given_to(call)] != own:
        return None
    made = child(call, "function")
    if source.part(made, "field") == "ServeHTTP":
        made = child(made, "operand")
    is_around = made is not None and made.type == "call_expression" and given_to(made)
    return made if is_around else None


class Texts:
    """Of a file, read from its begin to its end: variables hold what they were given so far."""

    def __init__(self, file: File) -> None:
        self._source = file
        self._scopes = file.scopes
        self._packages = file.packages
        texts = constants(file).items()
        self._constants = {name: _EXPRESSION.sub(r"{\1}", text) for name, text in texts}
        self._held: dict[tuple[str, str], str | None] = {}
        self._values: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        self._closures: dict[tuple[str, str], Node] = {}
        self._callees: dict[tuple[str, str], str] = {}
        """Variables that stand for a method or a function all the time; '' for others."""
        self.row: Row | None = None
        """Of the table that a loop around goes through."""

    def keep(self, left: Node, right: Node) -> None:
        """Note what a variable of a function is given."""
        key = self._key(left)
        if right.type == "func_literal":
            self._closures[key] = right
        is_named = right.type == "selector_expression" and key not in self._callees
        self._callees[key] = self._source.text(right) if is_named else ""
        value = self.parameter(right) or None if right.type in _NAMES else self.of(right)
        if value is None and self._is_wrapped(left, right):
            return
        self._values[key][self._by_names(left, value) if value is not None else _UNKNOWN] = None
        is_first = key not in self._held
        self._held[key] = value if is_first or self._held[key] == value else None

    def of(self, node: Node | None, depth: int = 0) -> str | None:
        """The text of an expression; None where it is not known."""
        if node is None or depth > _DEPTH_MAX:
            return None
        node = self.row.of(node) if self.row is not None else node
        match node.type:
            case "identifier":
                return self._named(node)
            case "selector_expression":
                name = self._source.text(node)
                is_of_package = name.partition(".")[0] in self._packages
                return f"{{${name}}}" if is_of_package and _NAME.fullmatch(name) else None
            case "binary_expression" if self._source.part(node, "operator") == "+":
                parts = [self.of(side, depth + 1) for side in node.named_children]
                return None if None in parts else "".join(part or "" for part in parts)
            case "call_expression" if self._is_join(node):
                return self._joined(inside(node, "arguments"), depth)
        text = self._source.literal(node)
        return _EXPRESSION.sub(r"{\1}", text) if text else text

    def path(self, node: Node, depth: int = 0) -> str | None:
        """The text of the path of a route: where a part of it is not known, with that as the code
        calls it, or a hole for each of the values that a variable is given. A function that is
        given a path alone may put something before it."""
        text = self.of(node)
        given = inside(node, "arguments") if text is None and node.type == "call_expression" else ()
        if len(given) == 1 and (inner := self.of(given[0])) and inner.startswith("/"):
            return f"{{$…}}{inner}"
        if text is not None or node.type != "binary_expression" or depth > _DEPTH_MAX:
            return text
        parts = [self.path(side, depth + 1) or self._part(side) for side in node.named_children]
        known = [part for part in parts if part is not None]
        return "".join(known) if len(known) == 2 and any("/" in part for part in known) else None

    def _part(self, node: Node) -> str | None:
        """A part of a path that is not known; None for one that a whole server may be put below."""
        key = self._key(node)
        if node.type == "identifier" and _UNKNOWN not in self._values.get(key, (_UNKNOWN,)):
            return f"{{={key[1]}@{key[0]}}}"
        if node.type in _NAMES and _BASE.search(self._source.text(node)):
            return None
        if node.type == "selector_expression" and self._is_of_loop(node):
            return None
        callee = self._source.part(node, "function") if node.type == "call_expression" else ""
        name = callee.rpartition(".")[2] or one_line(self._source.text(node), 60)
        return f"{{${name}}}" if _NAME.fullmatch(name) else "{$…}"

    def _is_of_loop(self, node: Node) -> bool:
        """Is a node a field of what a loop goes through?"""
        loop, name = above(node, "for_statement"), self._source.text(node).partition(".")[0]
        clause = first_child(loop, "range_clause") if loop is not None else None
        return name in [self._source.text(it) for it in inside(clause, "left")]

    def variants(self, path: str, condition: str) -> Iterator[tuple[str, str]]:
        """The paths that a path with holes for variables is, each with its condition."""
        hole = _SEVERAL.search(path)
        if hole is None:
            yield path, condition
            return
        for value in list(self._values[hole[2], hole[1]])[:_VALUES_MAX]:
            words = value[2:-1] if _NAMED.fullmatch(value) else f'"{value.replace("{$", "{")}"'
            asked = f"{hole[1]} is {words}"
            whole = path.replace(hole[0], value)
            yield from self.variants(whole, f"{condition} and {asked}" if condition else asked)

    def shown(self, node: Node) -> str:
        """A text, or how the code calls it where it is not known."""
        name = one_line(self._source.text(node), 60)
        text = self.of(node)
        if text is not None:
            return text
        return f"{{${name}}}" if _NAME.fullmatch(name) else "{$…}"

    def given(self, node: Node) -> str:
        """What a function is given: `false`, a text behind a quotation mark, a name as written, or
        what the function around is given itself; '' for anything else."""
        if node.type == "false":
            return "false"
        if hole := self.parameter(node):
            return hole
        if node.type == "identifier" and (text := self._known(node)) is not None:
            return text if _HOLE.fullmatch(text) else f'"{text}'
        if node.type in _NAMES:
            name = one_line(self._source.text(node), 80)
            return self.handler(node) if self._key(node) in self._closures else name
        text = self.of(node)
        if node.type == "call_expression" and text is None:
            return f"{one_line(self._source.part(node, 'function'), 80)}()"
        return f'"{text}' if text is not None else self.handler(node)

    def called(self, node: Node) -> str:
        """A handler as `call_words` tells it, where variables that are called stand for methods of
        objects by these: `may := a.auth.May; may(show)` is `a.auth.May(show)`."""
        scope = self._scopes.at(node.start_byte)
        return _CALLEE.sub(
            lambda name: self._callees.get((scope, name[0])) or name[0],
            call_words(self._source, node),
        )

    def condition(self, node: Node) -> str:
        """The parameter that a place in a function is reached by, as its hole: `if given { … }`."""
        for around, _ in outward(node, *_FUNCTIONS):
            asked = child(around, "condition")
            then = child(around, "consequence")
            is_inside = then is not None and then.start_byte <= node.start_byte < then.end_byte
            if asked is not None and is_inside and (hole := self.parameter(asked)):
                return hole
        return ""

    def handler(self, node: Node) -> str:
        """The function that is given to the one around, and that a handler is, wraps or calls."""
        closure = self._closures.get(self._key(node), node)
        if closure.type == "call_expression":
            given = inside(closure, "arguments")
            return self.parameter(given[-1]) if given else ""
        if closure.type != "func_literal":
            return self.parameter(node)
        called = {hole for each in _called(closure) if (hole := self.parameter(each))}
        return called.pop() if len(called) == 1 else ""

    def unwrapped(
        self, node: Node, guarding: Callable[[Sequence[Node]], tuple[str, ...]]
    ) -> tuple[Node, tuple[str, ...]]:
        """The handler within `auth.Require(http.HandlerFunc(show)).ServeHTTP`, and what guards
        it."""
        guards: tuple[str, ...] = ()
        for _ in range(_DEPTH_MAX):
            if self._source.part(node, "field") == "ServeHTTP":
                operand = node.child_by_field_name("operand")
                node = operand if operand and operand.type == "call_expression" else node
            given = inside(node, "arguments")
            wrapper = self._source.part(node, "function")
            own = guarding([node]) if given else ()
            if _MAKING.search(wrapper) and given and given[-1].type in _NAMES:
                own = ()  # `login(store)` makes a handler.
            inner = self._source.part(given[-1], "function") if given else ""
            is_around = "HandlerFunc" in (_last(wrapper), _last(inner))
            if not given or not (own or is_around):
                break
            node, guards = given[-1], (*guards, *own)
        return node, guards

    def parameter(self, node: Node) -> str:
        """The hole that a parameter of the function around is; '' for anything else."""
        return (self._parameter(node) or "") if node.type == "identifier" else ""

    def _key(self, node: Node) -> tuple[str, str]:
        return self._scopes.at(node.start_byte), self._source.text(node)

    def _is_wrapped(self, left: Node, right: Node) -> bool:
        """Is a variable given what a call makes of it: `handler = cors(handler)`?"""
        name = self._source.text(left)
        given = inside(right, "arguments") if right.type == "call_expression" else []
        return name in [self._source.text(argument) for argument in given]

    def _known(self, node: Node) -> str | None:
        name = self._source.text(node)
        return self._held.get(self._key(node)) or self._constants.get(name)

    def _named(self, node: Node) -> str | None:
        key = self._key(node)
        if key in self._held:
            return self._held[key]
        hole = self._parameter(node)
        if hole is not None:
            return hole or None
        return self._constants.get(key[1], f"{{${key[1]}}}")

    def _parameter(self, node: Node) -> str | None:
        """The hole of a parameter; '' for a variable that is nearer, None for neither."""
        name = self._source.text(node)
        for around, _ in outward(node):
            if around.type == "for_statement":
                clause = first_child(around, "range_clause")
                if clause is not None and node.end_byte <= clause.end_byte:
                    clause = None  # What is gone through is named before the loop begins.
                if name in [self._source.text(each) for each in inside(clause, "left")]:
                    over = child(clause, "right")
                    hole = self.parameter(over) if over is not None else ""
                    return hole if hole.endswith("*}") else ""
            elif around.type in _FUNCTIONS or around.type == "func_literal":
                names = list(self._parameters(around))
                if name in names or f"{name}*" in names:
                    place = names.index(name) if name in names else names.index(f"{name}*")
                    sign = "" if name in names else "*"
                    return "" if around.type == "func_literal" else f"{{${place}{sign}}}"
                if around.type in _FUNCTIONS:
                    return None
        return None

    def _by_names(self, node: Node, text: str) -> str:
        """A text with the names of the parameters of a function whose holes it has."""
        function = above(node, *_FUNCTIONS)
        names = [*self._parameters(function)] if function is not None else []
        return _HOLE.sub(lambda hole: f"{{${names[int(hole[1])].rstrip('*')}}}", text)

    def _parameters(self, function: Node) -> Iterator[str]:
        """The names of parameters by place, with a star for all that are left."""
        for each in inside(function, "parameters"):
            sign = "*" if each.type.startswith("variadic") else ""
            names = each.children_by_field_name("name")
            yield from (f"{self._source.text(name)}{sign}" for name in names)
            if not names:
                yield ""

    def _is_join(self, call: Node) -> bool:
        name = self._source.part(call, "function")
        return name == "path.Join" and self._packages.get("path") == "path"

    def _joined(self, nodes: list[Node], depth: int) -> str | None:
        """The text of `path.Join`, without the path that a whole server may be put below."""
        is_base = bool(nodes) and nodes[0].type == "selector_expression"
        is_base = is_base and bool(_BASE.search(self._source.text(nodes[0])))
        parts = [self.of(node, depth + 1) for node in nodes[is_base:]]
        if None in parts:
            return None
        return re.sub("/{2,}", "/", "/".join(part for part in parts if part))


def _called(closure: Node) -> Iterator[Node]:
    """The names that are called inside a function."""
    for node in within(closure):
        callee = child(node, "function") if node.type == "call_expression" else None
        if callee is not None and callee.type == "identifier":
            yield callee


def _last(name: str) -> str:
    return name.rpartition(".")[2]
