"""The types of variables, parameters and fields, by a query of the language: `queries/typed`.

A query captures the variable as `@name`, its declared type as `@type`, the value that it is set to
as `@value`, the object of a field as `@of`, the declared result of a function as `@returns`, and a
returned value as `@given`. A name with two possible types is left out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.receivers import unwrapped, without_arguments
from stationmaster.reading.code.languages.scopes import Scopes
from stationmaster.reading.code.languages.source import Source, child, line_of
from stationmaster.reading.code.model import FileFacts, Typed

TYPED_MAX = 3_000
"""Of a file."""
CHOICES_MAX = 3
"""Types of which the value of a name may be made, at most."""
_LEVELS_MAX = 4
_CHAIN_MAX = 2_000
"""Bytes of a chain of calls whose last one returns a value."""
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_CHAIN = re.compile(r"\w+(?:\.\w+(?:\(\))?){1,40}")
_BEFORE = re.compile(r"^(?:[&*\s]|'\w+\s|(?:dyn|impl|mut|const|any|some|readonly)\s)+")
_GENERIC = re.compile(r"([\w.$]+)\s*[<\[](.*)[>\]]", re.DOTALL)
_RECORDS = code.names("ruby.language.makers")
_PASSED_ON = re.compile(
    "await|await_expression|boolean_operator|parenthesized_expression|try_expression|unary_expression"
)
_NEW = re.compile(
    "composite_literal|new_expression|object_creation_expression|struct_expression"
    "|type_assertion_expression"
)
"""Values that name their type."""
_CALL = re.compile("(?:function_|member_|scoped_)?call(?:_expression)?"
                   "|invocation_expression|method_invocation")  # fmt: skip
_GIVEN = frozenset({"arguments", "argument_list", "call_suffix", "value_arguments"})
_PASSING = re.compile(
    "Annotated|Arc|Awaitable|Box|ClassVar|Final|Mutex|Optional|Promise|Rc|Readonly|RefCell|Task"
    "|ValueTask"
)
"""Types that are replaced by the one that they wrap."""
_WRAPS = re.compile(r"(?:\w+::){0,4}(?:Arc|Box|Mutex|Rc|RefCell|RwLock)::new\(")
"""A call of Rust that makes such a type."""
_WRAPPED = re.compile(
    r"(?:&\s*(?:mut\s+)?)?(?:\w+::){0,3}(?:Option|Result)<([^,<>]+(?:<[^<>]{0,80}>)?)"
)
_COLLECTION = re.compile(
    r"(?:\[\d*\]|map\[[\w.*]{1,80}\]|(?:<-)?chan(?:<-)?\s)\s*([*\w.]+)|&?\[([\w.]+)(?:;[^\[\]]{1,40})?\]"
    r"|(?:[\w.]+\.)?(?:Array|Collection|Enumerable|HashSet|ICollection|IEnumerable|IList"
    r"|IReadOnlyCollection|IReadOnlyList|Iterable|List|MutableList|MutableSet|Sequence|Set|Vec"
    r"|VecDeque)<([\w.:&<> ]{1,120})>"
)
"""A collection of a type, which is one of the groups."""
_LISTING = re.compile(r"\.(?:iter|iter_mut|into_iter|ToList|ToArray|toList|values)\(\)$")
_MANY = re.compile(r"[A-Za-z_]\w{0,80}(?:\.\w{1,80}(?:\(\))?){0,5}")
_NOTHING = frozenset({"None", "null", "nil", "undefined", "false", "False"})
_PLAIN = re.compile(
    "Any|any|bool|boolean|Boolean|byte|bytes|char|dict|double|error|float|int|Int|Integer|list"
    "|long|never|number|object|Object|rune|short|str|string|String|tuple|uint|undefined"
    "|unknown|usize|var|void"
)
_FUNCTIONS = frozenset({"function", "method", "constructor"})
_VALUES = frozenset({"property", "variable", "constant"})
_OWN = frozenset({"self", "this", "cls"})
_RETURNING = re.compile("function_definition|lambda|method_declaration|a(?:nonymous|rrow)_function")
"""What a returned value is the result of."""
_FIELD = re.compile(r"(?:self|this)\.\w{1,80}")
_SPLIT = re.compile(r"[^\w$]+")


def typed(
    source: Source, facts: FileFacts, noted: Iterable[tuple[str, str, str]] = ()
) -> tuple[Typed, ...]:
    """The types by holder and name: of variables only those that are receivers of calls, or of
    which a member is passed as a value. `noted` are holders, names and types that comments declare,
    which count where the code declares none."""
    scopes = Scopes(sorted(((it.line, it.end + 1, it.qualified) for it in facts.symbols),
                           key=lambda symbol: (symbol[0], -symbol[1])))  # fmt: skip
    kinds = {symbol.qualified: symbol.kind for symbol in facts.symbols} | {"": "module"}
    receivers = {word for call in facts.calls for word in _SPLIT.split(call.of)}
    receivers |= {symbol.head for symbol in facts.given if "." in symbol.name}
    types: dict[tuple[str, str], list[tuple[bool, str]]] = defaultdict(list)
    copied: list[tuple[str, str, str, str]] = []
    copies: list[tuple[str, str, dict[str, Node]]] = []
    for name, nodes in _named(source):
        scope = scopes.at(line_of(nodes["name"]))
        if "returns" in nodes:
            types[scope, ""].append((True, _declared(source, nodes["returns"])))
            continue
        holder = scope
        while kinds.get(holder) in _VALUES:
            holder = holder.rpartition(".")[0]
        if "of" in nodes or source.text(nodes["name"]).startswith("@"):
            of = source.text(nodes["of"]).lstrip("$") if "of" in nodes else "self"
            if nodes.get("of", nodes["name"]).type == "identifier" and of not in _OWN:
                continue
            while kinds.get(holder, "method") in _FUNCTIONS and "." in holder:
                holder = holder.rpartition(".")[0]
        if "many" in nodes:
            receivers.update(_SPLIT.split(_of_many(source, nodes["many"])))
        value = source.text(nodes["value"]) if "value" in nodes else ""
        value = unwrapped(value[:_CHAIN_MAX]) if source.language == "Rust" else value
        if "type" not in nodes and value.lstrip("$").isidentifier() and value not in _NOTHING:
            copied.append((holder, name, scope, value.lstrip("$")))
        else:
            copies.append((holder, name, nodes))
    wanted = receivers.union(value for *_, value in copied)
    for holder, name, nodes in copies:
        is_wanted = not name or name in wanted or kinds.get(holder, "function") not in _FUNCTIONS
        if is_wanted:
            types[holder, name] += _declared_types(source, nodes)
    for holder, name, scope, value in copied:
        itself = "static" if not name and value in ("self", "this") else ""
        types[holder, name] += types.get((scope, value), [(False, itself)])
    for holder, name, text in noted:
        if not any(is_declared for is_declared, _ in types[holder, name]):
            types[holder, name].append((True, _type(text)))
    every = [symbol for symbol in _agreed(types) if not symbol.name or symbol.name in receivers
             or kinds.get(symbol.holder, "function") not in _FUNCTIONS]  # fmt: skip
    return tuple(sorted(every, key=lambda symbol: (symbol.holder, symbol.name)))[:TYPED_MAX]


def _named(source: Source) -> Iterator[tuple[str, dict[str, Node]]]:
    """The matches of the query with the name of the variable, '' for a result."""
    for match in source.matches("typed"):
        captures = {key: nodes[0] for key, nodes in match.items()}
        if "given" in captures:
            above = captures["given"].parent
            while above is not None and not _RETURNING.fullmatch(above.type):
                above = above.parent
            function = child(above, "name")
            if function is not None:
                yield "", {"name": function, "value": captures["given"]}
        else:
            yield source.text(captures["name"]).lstrip("@$"), captures


def _declared_types(source: Source, nodes: Mapping[str, Node]) -> list[tuple[bool, str]]:
    """Whether a type is declared, and the type; '' for an unknown one, and nothing where the name
    has no value yet."""
    if "many" in nodes:
        return [(False, _of_many(source, nodes["many"]))]
    if "type" in nodes:
        declared = _declared(source, nodes["type"])
        if declared or source.text(nodes["type"]) != "var":
            return [(True, declared)]
    value = nodes.get("value")
    if value is None or source.line(value) in _NOTHING:
        return []
    return [(False, _made(source, value))]


def _declared(source: Source, node: Node) -> str:
    """The type in a declaration, or in a docstring for one; with a `?` where Rust wraps it in an
    optional."""
    text = source.line(node)
    if node.type == "string" and source.language == "Python" and ":rtype:" in text:
        text = source.text(node).partition(":rtype:")[2].partition("\n")[0]
    wrapped = _WRAPPED.match(text) if source.language == "Rust" else None
    name = _type(wrapped[1] if wrapped else text)
    return f"{name}?" if wrapped and name else name


def _of_many(source: Source, node: Node) -> str:
    """An element of the collection of a loop: `self.parts[]`."""
    text = without_arguments(source.text(node)[:_CHAIN_MAX]).lstrip("&").removeprefix("mut ")
    name = _LISTING.sub("", text.replace("::", "."))
    return f"{name}[]" if _MANY.fullmatch(name) else ""


def _made(source: Source, value: Node) -> str:
    """The type of a value: that which it is made of, the name of the function that returns it with
    `()`, or a field of the own object, as `self.store`."""
    for _ in range(_LEVELS_MAX):
        inner = value.named_children[-1:]
        is_wrapped = value.type == "call_expression" and _WRAPS.match(source.line(value))
        if is_wrapped and inner and inner[0].named_child_count == 1:
            inner = inner[0].named_children
        elif not _PASSED_ON.fullmatch(value.type):
            break
        if not inner:
            break
        value = inner[0]
    if _NEW.fullmatch(value.type):
        fields = map(value.child_by_field_name, ("constructor", "type", "name"))
        return _type(source.line(next(filter(None, fields), None) or child(value)))
    if not _CALL.fullmatch(value.type):
        text = source.line(value).lstrip("$").replace("->", ".")
        return text if _FIELD.fullmatch(text) else ""
    arguments = next((inner for inner in value.named_children if inner.type in _GIVEN), None)
    end = arguments.start_byte if arguments else value.end_byte
    end = min(end, value.start_byte + _CHAIN_MAX)
    text = without_arguments(source.data[value.start_byte : end].decode(errors="replace"))
    if (bare := unwrapped(text)) != text:
        text = bare.removesuffix("()")
        if text == bare:  # It was no call.
            return ""
    name = "".join(text.replace("->", ".").replace("::", ".").replace("$", "").split())
    if source.language == "Ruby" and name.rpartition(".")[2].rstrip("!") in _RECORDS:
        name = name.rstrip("!")
    if not _NAME.fullmatch(name):
        return f"{name}()" if _CHAIN.fullmatch(name) else ""
    of, _, made = name.rpartition(".")
    is_record = source.language == "Ruby" and made in _RECORDS and of[:1].isupper()
    return _type(of) if of and (made == "new" or is_record) else f"{name}()"


def _agreed(types_of: dict[tuple[str, str], list[tuple[bool, str]]]) -> Iterator[Typed]:
    for (holder, name), rows in types_of.items():
        declared = {type_ for is_declared, type_ in rows if is_declared}
        types = declared or {type_ for _, type_ in rows if not type_.startswith(f"{name}.")}
        if types and all(types) and len(types) <= (1 if declared else CHOICES_MAX):
            yield Typed(name, "|".join(sorted(types)), holder)


def _type(text: str) -> str:
    """The dotted name of a type without what it is wrapped in; '' for what is none of a project."""
    for _ in range(_LEVELS_MAX):
        text = _BEFORE.sub("", text.strip().strip("'\"").replace("::", ".").replace("\\", "."))
        parts = [part.strip() for part in text.split("|")]
        left = [part for part in parts if part not in _NOTHING]
        text = (left[0] if len(left) == 1 else "").rstrip("?!").lstrip(".")
        if many := _COLLECTION.fullmatch(text):
            one = _type(many[1] or many[2] or many[3])
            return f"[]{one}" if one.isidentifier() or "." in one else ""
        generic = _GENERIC.fullmatch(text)
        if generic is None:
            break
        is_passing = _PASSING.fullmatch(generic[1].rpartition(".")[2])
        text = generic[2].split(",")[0] if is_passing else generic[1]
    return text if _NAME.fullmatch(text) and not _PLAIN.fullmatch(text) else ""
