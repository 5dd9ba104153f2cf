"""What commands of cobra are kept in, and the values of literals: a variable, or the function that
returns it.

A variable of a function that returns it stands for the function, as others know the command by it;
one that is given what a call makes stands for the function that is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.reading.code.languages.go.frameworks import File
from stationmaster.reading.code.languages.source import Source, above, child, inside, one_line
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import Option

_ASSIGNING = ("short_var_declaration", "var_spec", "assignment_statement")
_DEPTH_MAX = 4
FUNCTIONS = ("function_declaration", "method_declaration")
_WRAPPING = re.compile(r"(?i)\bwrap\w*$")
NAMES = ("identifier", "selector_expression")
WRAPPERS = (
    "argument_list", "call_expression", "expression_list", "literal_element",
    "parenthesized_expression", "unary_expression",
)  # fmt: skip
_PLAIN = frozenset({"int_literal", "float_literal", "true", "false"})
_DURATION = re.compile(
    r"(?:([\d.]+)\s*\*\s*)?time\.(Nano|Micro|Milli)?([Ss]econd|Minute|Hour)(?:\s*\*\s*([\d.]+))?"
)
_TEXT_OF = re.compile(r"(.+)\.String\(\)|(?:string|u?int\d*|float\d\d|time\.Duration)\((.+)\)")
_NAMED = re.compile(r"(?!nil$)[A-Za-z_][^{}\n]{0,79}")
_ADDING = re.compile(r"(?i)(?:add|init|install|register)\w*flag")
_SIGNS = {"Nano": "n", "Micro": "u", "Milli": "m", None: ""}
_LITERALS = ("unary_expression", "composite_literal")


class Holders:
    """Names of a file by what they stand for."""

    def __init__(self, file: File) -> None:
        self._source = file
        self._scopes = file.scopes
        self._made: dict[tuple[str, str], str] = {}
        self._returned: set[tuple[str, str]] = set()
        self._calls: dict[str, str] = {}
        for found in file.matches("commands"):
            for node in found.get("returned", ()):
                self._return(node)
        for found in file.matches("routes"):
            right = found["right"][0] if "right" in found else None
            call = self._call(right) if right is not None else ""
            if call and all(it.type not in _LITERALS for it in inside(right, "arguments")):
                self._made[self._key(found["left"][0])] = call

    def of(self, node: Node) -> str:
        """What an expression stands for: a variable at top level, or a function."""
        key = self._key(node)
        if key in self._returned and key not in self._made:
            return key[0]
        # A variable at top level is in the scope of its own name.
        made = self._made.get(key) or self._made.get((key[1], key[1]))
        name = self._call(node) or made or key[1]
        for _ in range(_DEPTH_MAX):
            name = self._calls.get(name, name)
        return name

    def keeping(self, literal: Node) -> str:
        """The variable that a literal is kept in, or the function that returns it."""
        around = above(literal, *WRAPPERS, past=True)
        if (name := variable(around)) is not None:
            return self.of(name)
        if around is not None and around.type == "return_statement":
            return self._scopes.at(literal.start_byte)
        return f"@{literal.start_byte}"

    def _return(self, node: Node) -> None:
        """Note that a function returns a variable, as it is or as another one completes it, or what
        another one makes."""
        call = self._call(node)
        names = [it for it in inside(node, "arguments") if it.type == "identifier"]
        if names or not call:
            self._returned |= {self._key(it) for it in names or [node]}
        elif above(node, "func_literal") is None:
            self._calls.setdefault(self._scopes.at(node.start_byte), call)

    def _key(self, node: Node) -> tuple[str, str]:
        return self._scopes.at(node.start_byte), self._source.text(node).lstrip("&")

    def _call(self, node: Node) -> str:
        """The function that a call is of."""
        return self._source.part(node, "function") if node.type == "call_expression" else ""


def variable(statement: Node | None) -> Node | None:
    """What a statement gives a value."""
    if statement is None or statement.type not in _ASSIGNING:
        return None
    return child(statement, "left") or child(statement, "name")


def literal_at(node: Node) -> Node | None:
    """The struct that is written where a command is given: `&cobra.Command{…}`."""
    operand = child(node, "operand") if node.type == "unary_expression" else node
    return operand if operand is not None and operand.type == "composite_literal" else None


def literals_in(node: Node) -> list[Node]:
    """The composite literals that a list is made of, without those inside them."""
    literals: list[Node] = []
    waiting = [*reversed((child(node, "body") or node).named_children)]
    while waiting:
        each = waiting.pop()
        if each.type in ("composite_literal", "literal_value"):
            literals.append(each)
        elif each.type in ("literal_element", "unary_expression"):
            waiting += reversed(each.named_children)
    return literals


def fields(source: Source, node: Node) -> dict[str, Node]:
    """The elements of a literal by the names of its fields."""
    body = child(node, "body") or node
    keys: dict[str, Node] = {}
    for element in body.named_children:
        key, value = child(element, "key"), child(element, "value")
        if key is not None and value is not None:
            parts = value.named_children
            keys[source.text(key)] = parts[0] if len(parts) == 1 else value
    return keys


def given_type(source: Source, node: Node, *kinds: str) -> str:
    """The type of a parameter of the function around a name, of one of these kinds; '' for another
    name."""
    function = above(node, *(kinds or FUNCTIONS))
    for parameter in inside(function, "parameters") if node.type == "identifier" else ():
        if source.text(node) in map(source.text, parameter.children_by_field_name("name")):
            return source.part(parameter, "type").lstrip("*")
    return ""


def is_given(source: Source, node: Node, type_: str) -> bool:
    """Is a name a parameter of the function around it, of a type of the library's?"""
    return given_type(source, node, FUNCTIONS[0]).rpartition(".")[2] == type_


def name_of(source: Source, node: Node | None) -> str:
    """The name of a function, also of one that a call makes, or that is put around it."""
    if node is not None and node.type == "call_expression":
        args = inside(node, "arguments")
        is_around = len(args) == 1 and _WRAPPING.search(source.part(node, "function"))
        node = args[0] if is_around else child(node, "function")
    return source.text(node) if node is not None and node.type in NAMES else ""


def others_in(source: Source, node: Node) -> list[str]:
    """What a list names that is made elsewhere."""
    names = []
    for element in (child(node, "body") or node).named_children:
        inner = element
        while inner.type in ("literal_element", "unary_expression"):
            inner = inner.named_children[0]
        names.append(name_of(source, child(inner, "function") or inner))
    return [name for name in names if name]


def default(source: Source, node: Node) -> str | None:
    """A text, number, switch, time (`2m` of `2*time.Minute`) or list of these; None for what is
    none of them, or empty."""
    written = one_line(source.text(node))
    is_signed = node.type == "unary_expression" and node.named_children[0].type in _PLAIN
    if node.type in _PLAIN or is_signed:
        return written
    if time := duration(written):
        return time
    if node.type == "composite_literal" and source.part(node, "type").startswith("[]"):
        parts = [source.literal(it.named_children[0]) for it in inside(node, "body")]
        return ",".join(filter(None, parts)) if parts and None not in parts else None
    return one_line(source.literal(node) or "") or None


def listed(source: Source, node: Node | None) -> tuple[str, ...]:
    """The texts of a list that is written in place."""
    texts = default(source, node) if node is not None else None
    return tuple(texts.split(",")) if texts else ()


def flag_default(source: Source, node: Node) -> str | None:
    """A default, or for a short expression that is none a hole: `{$shop.Port}`."""
    value, written = default(source, node), one_line(source.text(node))
    made = _TEXT_OF.fullmatch(written)
    named = _NAMED.fullmatch((made[1] or made[2]) if made else written)
    is_plain = source.literal(node) is not None or node.type == "composite_literal"
    return value if value or is_plain or not named else f"{{${named[0]}}}"


def duration(written: str) -> str | None:
    """A time as a command line takes it, `2m` of `2*time.Minute`; None for anything else."""
    time = _DURATION.fullmatch(written)
    return f"{time[1] or time[4] or 1}{_SIGNS[time[2]]}{time[3][0].lower()}" if time else None


def of_package(file: File, call: Called) -> Iterator[Option]:
    """What a function of another package adds to the options that it is given, as it is called
    with texts, and the package as its meaning."""
    package = file.packages.get(call.on)
    if package and _ADDING.match(call.name):
        texts = [file.text(it) for it in inside(call.listed) if file.literal(it) is not None]
        yield Option((f"{call.on}.{call.name}({', '.join(texts)})",), call.line, package)
