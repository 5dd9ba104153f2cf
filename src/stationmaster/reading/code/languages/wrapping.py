"""Functions that are put around handlers: whether one may refuse a request before it calls what it
is given, or calls that on every way through it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import islice

from tree_sitter import Node

from stationmaster.catalogue.middleware import middleware
from stationmaster.catalogue.table import compiled
from stationmaster.reading.code import Wrapper
from stationmaster.reading.code.languages.source import Source, child, inside, one_line, within
from stationmaster.reading.code.languages.unit import Unit
from stationmaster.reading.code.model import Wiring

_FUNCTIONS = frozenset({"function_declaration", "method_declaration", "function_definition"})
_CLOSURES = frozenset({"func_literal", "function_definition"})
_IGNORED = frozenset({"comment", "defer_statement", "go_statement", "decorator"})
_ENDING = frozenset({"return_statement", "raise_statement"})
_GROUPS = frozenset({
    "block", "statement_list", "expression_case", "default_case", "type_case", "else_clause",
    "finally_clause", "with_statement", "decorated_definition",
})  # fmt: skip
_CASES = frozenset({"expression_switch_statement", "type_switch_statement", "select_statement"})
_LOOPS = frozenset({"for_statement", "while_statement"})
_CALLS = frozenset({"call_expression", "call"})
_HEAD = re.compile(rb"(?i)func\(|handler|\bdef\b")
"""What the head of a function has that may be given a handler."""
_STOPPING = re.compile(r"(?:\w+\.)?abort\(")
_INNER = re.compile(rb"\bfunc\(|\bdef \w{1,99}\([^)\n]{0,99}(?:\*|\brequest\b)|\breturn \S{1,99}\(")
"""What the body of one has: a function that is given a request, or a call that it returns."""
_METHOD = re.compile(r"\b(?:m|M)ethod\b")
"""A condition that asks for the method of a request keeps nobody out."""
_DEPTH_MAX = 60
_NODES_MAX = 20_000
_CALLS_MAX = _CLOSURES_MAX = 12
_TEXT_MAX = 600
_CONDITION_MAX = 60
_SOME = "under a condition"
"""What is shown of a condition that is longer, or one of several."""
_CALLEE = re.compile(r"(\w{1,80})\(")

_CALLED, _REFUSED, _ANSWERED, _ON = "called", "refused", "answered", "on"
"""How a way through some code ends: with the handler, with a refusal, with another answer, or at
what stands behind the code."""


def read(unit: Unit) -> Iterator[Wiring]:
    """The functions of a file of Go or Python that are put around handlers."""
    yield Wiring(wrappers=tuple(_wrappers(unit)))


def _wrappers(source: Unit) -> Iterator[Wrapper]:
    refusing = cache(partial(_refusing_functions, source))
    for node in (*source.nodes["declared"], *source.nodes["function"]):
        body = node.child_by_field_name("body") if node.type in _FUNCTIONS else None
        name = source.scopes.at(node.start_byte)
        head = source.data[node.start_byte : body.start_byte if body else None]
        text = source.data[body.start_byte : body.end_byte] if body and _HEAD.search(head) else b""
        if body is not None and _INNER.search(text):
            nodes = _within(body)
            closures = [inner for inner in nodes if inner.type in _CLOSURES]
            for function in (node, *closures[:_CLOSURES_MAX]):
                made = _wrapper(source, name, function, nodes, refusing)
                if made is not None:
                    yield made
                    break


def _within(body: Node) -> list[Node]:
    """The nodes of a function by place that its ways depend on."""
    return [*islice(within(body), _NODES_MAX)]


def _refusing_functions(source: Unit) -> frozenset[str]:
    """The short functions of a file that answer 401 or 403."""
    form = compiled(middleware().guards.forbidden)
    functions = (*source.nodes["declared"], *source.nodes["function"])
    bodies = ((it, source.part(it, "body")) for it in functions if it.type in _FUNCTIONS)
    return frozenset(
        source.part(node, "name")
        for node, text in bodies
        if len(text) <= _TEXT_MAX and form.search(text)
    )


def _wrapper(
    source: Source,
    name: str,
    function: Node,
    nodes: list[Node],
    refusing_functions: Callable[[], frozenset[str]],
) -> Wrapper | None:
    names = [source.text(node) for node in _parameters(function)]
    closures = [
        node for node in nodes if node.type in _CLOSURES and _holds(function, node) is not None
    ]
    called: list[tuple[int, int, Node]] = []
    for node in nodes:
        place = _place(source, node, names) if node.type in _CALLS else None
        if place is not None and _holds(function, node) and len(called) < _CALLS_MAX:
            around = [it for it in closures if _holds(it, node)]
            own = {source.text(it) for it in _parameters(around[0])} if around else set[str]()
            given = [source.text(it).lstrip("*") for it in inside(node, "arguments")]
            if around and own.intersection(given):
                called.append((len(own.intersection(given)), place, around[0]))
    if not called:
        return _handing(source, name, function, names)
    place = max(called, key=lambda it: it[0])[1]
    around_it = [closure for _, at, closure in called if at == place]
    calls = [node for node in nodes if node.type in _CALLS and _place(source, node, names) == place]
    body = around_it[0].child_by_field_name("body")
    read = _Ways(source, calls[:_CALLS_MAX], refusing_functions)
    ways = read.of(body) if body is not None else {_ON}
    refusing = _refusing(source.text(around_it[0])) if _ON in ways else None
    is_whole = ways == {_CALLED}
    if not is_whole and ((_REFUSED not in ways and not refusing) or _validates(source, function)):
        return None
    if is_whole and any(made := [_made(source, call) for call in calls]):
        callees = {source.line(child(it, "function"), 80) for it in made}
        return Wrapper(name, place, False, (), callees.pop()) if len(callees) == 1 else None
    levels = tuple(
        at
        for at, other in enumerate(names)
        if at != place and _is_asked(source, other, nodes, around_it[0], calls[0])
    )
    return Wrapper(name, place, not is_whole, levels, "", read.condition)


def _parameters(function: Node) -> Iterator[Node]:
    """The names of what a function is given, by place."""
    for listed in inside(function, "parameters"):
        names = listed.children_by_field_name("name")
        yield from names
        if not names:
            yield from (node for node in (listed, *listed.named_children) if _is_name(node))


def _is_name(node: Node) -> bool:
    return node.type == "identifier"


def _place(source: Source, call: Node, names: list[str]) -> int | None:
    """The parameter that a call is of: `f(w, r)`, `next.ServeHTTP(w, r)` or `signedIn(f)(w, r)`."""
    text = source.part(call, "function").removesuffix(".ServeHTTP")
    if text in names:
        return names.index(text)
    given = (source.text(it) for it in inside(_made(source, call), "arguments") if _is_name(it))
    return next((names.index(name) for name in given if name in names), None)


def _made(source: Source, call: Node) -> Node | None:
    """The call that returns what another is of: `signedIn(f)` of `signedIn(f)(w, r)`."""
    callee = child(call, "function")
    if callee is not None and callee.type == "selector_expression":
        is_serving = source.part(callee, "field") == "ServeHTTP"
        callee = child(callee, "operand") if is_serving else None
    return callee if callee is not None and callee.type in _CALLS else None


def _holds(outer: Node, node: Node) -> bool | None:
    """True for a node within another, None for one that is not."""
    is_inside = outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte
    return True if is_inside and outer.id != node.id else None


def _handing(source: Source, name: str, function: Node, names: list[str]) -> Wrapper | None:
    """A function that only returns what another makes of the handler."""
    body = function.child_by_field_name("body")
    statements = [it for it in body.named_children if it.type != "comment"] if body else []
    if len(statements) == 1 and statements[0].type == "statement_list":
        statements = [it for it in statements[0].named_children if it.type != "comment"]
    last = statements[0] if len(statements) == 1 else None
    while last is not None and last.type in ("return_statement", "expression_list"):
        last = last.named_children[0] if last.named_child_count == 1 else None
    if last is None or last.type not in _CALLS:
        return None
    for node in inside(last, "arguments"):
        if _is_name(node) and (text := source.text(node)) in names:
            callee = one_line(source.part(last, "function"), 80)
            return Wrapper(name, names.index(text), False, (), callee)
    return None


def _is_asked(source: Source, name: str, nodes: list[Node], closure: Node, call: Node) -> bool:
    """Does a condition within a function depend on a name, before the handler is called?"""
    form = re.compile(rf"\b{re.escape(name)}\b(?!\.)") if name else None
    return any(
        form is not None and form.search(source.part(node, "condition")[:_TEXT_MAX])
        for node in nodes
        if node.type in ("if_statement", "elif_clause")
        and _holds(closure, node)
        and node.start_byte < call.start_byte
    )


def _refusing(text: str) -> bool:
    return compiled(middleware().guards.refusing).search(text) is not None


def _validates(source: Source, function: Node) -> bool:
    """Does a function check only the parameters of a request, and not who sends it?"""
    body, table = source.part(function, "body"), middleware().guards
    is_invalid = compiled(table.invalid).search(body) is not None
    return is_invalid and compiled(table.credentials).search(body) is None


class _Ways:
    """How the ways through code end, by where a handler is called in it."""

    def __init__(
        self, source: Source, calls: list[Node], refusing_functions: Callable[[], frozenset[str]]
    ) -> None:
        self._source = source
        self._calls = calls
        self._refusing_functions = refusing_functions
        self._asked: list[str] = []
        """For each refusal the condition that it is only reached by."""
        self._passing = ""

    @property
    def condition(self) -> str:
        """What must hold for a request to be refused; '' where that is not all."""
        asked = {*self._asked}
        alone = "" if "" in asked or not asked else asked.pop() if len(asked) == 1 else _SOME
        both = [*dict.fromkeys(filter(None, (self._passing, alone)))]
        return " and ".join(both) if _SOME not in both else _SOME

    def of(self, node: Node, depth: int = 0) -> set[str]:
        """The ends of a statement."""
        if depth > _DEPTH_MAX or node.type in _IGNORED:
            return {_ON}
        if node.type in _GROUPS:
            return self._in_turn(node.named_children, depth)
        if node.type == "if_statement":
            return self._branches(node, depth)
        if node.type in _CASES:
            cases = [it for it in node.named_children if it.type.endswith("_case")]
            ends = [self._in_turn(it.named_children, depth) for it in cases]
            is_whole = any(it.type == "default_case" for it in cases)
            return set[str]().union(*ends, () if is_whole else {_ON})
        if node.type in _LOOPS:
            body = node.child_by_field_name("body")
            return {_ON} | (self.of(body, depth + 1) if body else set())
        if node.type == "try_statement":
            return self._tried(node, depth)
        if self._is_called_in(node):
            return self._calling(node, depth)
        if node.type == "expression_statement" and _STOPPING.match(self._source.line(node, 40)):
            self._asked.append("")
            return {_REFUSED}
        if node.type in _ENDING:
            is_refused = self._is_refused(node)
            self._asked += [""] * is_refused
            return {_REFUSED if is_refused else _ANSWERED}
        return {_ON}

    def _is_refused(self, node: Node) -> bool:
        """Does what ends a way refuse, by its own words or by those of a function that it calls?"""
        if node.type == "raise_statement" or _refusing(self._source.text(node.parent)[-_TEXT_MAX:]):
            return True
        said = (self._source.line(it) for it in (node.prev_named_sibling, node))
        called = {name for words in said for name in _CALLEE.findall(words)}
        return bool(called) and not called.isdisjoint(self._refusing_functions())

    def _in_turn(self, nodes: Iterable[Node], depth: int) -> set[str]:
        ends = {_ON}
        for node in nodes:
            if _ON not in ends:
                break
            ends = (ends - {_ON}) | self.of(node, depth + 1)
        return ends

    def _branches(self, node: Node, depth: int) -> set[str]:
        asked = node.child_by_field_name("condition")
        for before in (node.child_by_field_name("initializer"), asked):
            if before is not None and self._is_called_in(before):
                return {_CALLED}
        then, before_it = node.child_by_field_name("consequence"), len(self._asked)
        ends = self.of(then, depth + 1) if then is not None else {_ON}
        refused = range(before_it, len(self._asked))
        if ends == {_CALLED} and not self._asked and self._is_configured(asked):
            self._passing = self._when("unless", asked)
        if refused and not ends.isdisjoint((_ON, _CALLED)):
            for at in refused:
                self._asked[at] = self._when("if", asked)
        if _METHOD.search(self._source.text(asked)[:_TEXT_MAX]) and _REFUSED in ends:
            ends = (ends - {_REFUSED}) | {_ANSWERED}
        is_whole = False
        for other in node.children_by_field_name("alternative"):
            is_whole = other.type != "elif_clause"
            inner = other.child_by_field_name("consequence") if not is_whole else other
            ends |= self.of(inner, depth + 1) if inner is not None else {_ON}
        return ends if is_whole else ends | {_ON}

    def _tried(self, node: Node, depth: int) -> set[str]:
        """What is caught counts where the handler is not called before."""
        body = node.child_by_field_name("body")
        ends = self.of(body, depth + 1) if body is not None else {_ON}
        if _CALLED in ends:
            return ends
        for clause in node.named_children:
            if clause.type == "except_clause":
                ends = ends | self._in_turn(clause.named_children[-1:], depth)
        return ends

    def _calling(self, node: Node, depth: int) -> set[str]:
        """The ends of a statement in which the handler is called, also in a function in it."""
        waiting = [node]
        while waiting:
            inner = waiting.pop()
            if inner.type in _CLOSURES:
                body = inner.child_by_field_name("body")
                ends = self.of(body, depth + 1) if body is not None else {_CALLED}
                return {_CALLED if end == _ON else end for end in ends}
            waiting += [it for it in inner.named_children if self._is_called_in(it)]
        return {_CALLED}

    def _when(self, word: str, asked: Node | None) -> str:
        """A condition as written where that is short, else that there is one."""
        text = self._source.line(asked, _CONDITION_MAX)
        return _SOME if text.endswith("…") else f"{word} {text}"

    def _is_configured(self, asked: Node | None) -> bool:
        """Does a configuration decide a condition?"""
        text = self._source.line(asked, 100)
        return compiled(middleware().guards.configured).search(text) is not None

    def _is_called_in(self, node: Node) -> bool:
        return any(
            node.start_byte <= call.start_byte and call.end_byte <= node.end_byte
            for call in self._calls
        )
