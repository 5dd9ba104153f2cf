"""What a JavaScript or TypeScript file takes from others, and what it gives them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.source import child, first_child, line_of
from stationmaster.reading.code.model import Import, ImportKind

if TYPE_CHECKING:
    from stationmaster.reading.code.languages.ecmascript.module import Module


_Pair = tuple[str, str]
"""A name in the other module, and the one it has here."""

_NAMED = frozenset({"identifier", "call_expression"})


class Exports(NamedTuple):
    """`names` as others see them (`*` for all of another module), `local` those of declarations
    here, `default` that of what is exported by default; `is_module` tells a module from a
    script."""

    names: tuple[str, ...]
    local: frozenset[str]
    is_module: bool
    default: str


def imports_of(module: Module) -> tuple[Import, ...]:
    """The imports of a module by line, with those of `require`, `import()` and workers."""
    imports: list[Import] = []
    for node in module.statements:
        name = _source(module, node)
        if name is not None:
            imports += _statement(module, node, name)
    assigned = {value.start_byte: (variable, value) for variable, value in module.variables}
    handed_on = _handed_on(module)
    for call in module.calls:
        if call.name != "require" or call.of is not None:
            continue
        name = module.literal(call.given.get(0))
        if name and (outside := handed_on.get(call.node.byte_range)):
            imports.append(Import(name, call.line, "reexport", bound=(outside,)))
        else:
            imports += _required(module, call.node, assigned)
    for node in module.nodes["dynamic"]:
        name = module.literal(module.given(node).get(0))
        if name:
            imports.append(Import(name, line_of(node), "dynamic"))
    for new in module.news:
        if new.name in ("Worker", "SharedWorker"):
            name = _file_of_worker(module, new.given.get(0))
            if name:
                imports.append(Import(name, new.line, "dynamic"))
    return tuple(sorted(imports, key=lambda each: each.line))


def _handed_on(module: Module) -> dict[tuple[int, int], str]:
    """Where modules are required that others find under a name here: `exports.users =
    require("./users")`, `module.exports = { users: require("./users") }`; by the place of each."""
    names: dict[tuple[int, int], str] = {}
    for _, target, value in module.assigned:
        of, dot, name = module.text(target).rpartition(".")
        if of in ("exports", "module.exports") and dot and value.type == "call_expression":
            names[value.byte_range] = name
        elif module.text(target) in ("exports", "module.exports"):
            for name, member in module.members(value).items():
                if member.type == "call_expression":
                    names[member.byte_range] = name
    return names


def _file_of_worker(module: Module, node: Node | None) -> str | None:
    """Of `new URL(name, import.meta.url)`."""
    if node is None or module.part(node, "constructor") != "URL":
        return None
    given = module.given(node)
    name = module.literal(given.get(0))
    is_here = module.text(given.get(1)) == "import.meta.url"
    return name if name and is_here and name.startswith(".") else None


def _source(module: Module, node: Node) -> str | None:
    given = child(node, "source")
    if given is None:
        clause = first_child(node, "import_require_clause")
        given = child(clause, "source")
    return module.literal(given)


def _statement(module: Module, node: Node, name: str) -> Iterator[Import]:
    line = line_of(node)
    kind: ImportKind = "reexport" if node.type == "export_statement" else "module"
    is_type = any(child.type == "type" for child in node.children[1:2])
    whole, values, types = _clauses(module, node)
    if is_type:
        values, types = [], values + types
    if whole is not None:
        yield Import(name, line, "type" if is_type else kind, bound=(whole,))
    for pairs, pairs_kind in ((values, kind), (types, "type")):
        if pairs:
            yield Import(
                name,
                line,
                pairs_kind,
                tuple(pair[0] for pair in pairs),
                tuple(pair[1] for pair in pairs),
            )
    if whole is None and not values and not types:
        if kind == "reexport":
            yield Import(name, line, "type" if is_type else kind, ("*",), ("*",))
        else:
            yield Import(name, line, "type" if is_type else kind)


def _clauses(module: Module, node: Node) -> tuple[str | None, list[_Pair], list[_Pair]]:
    """The name that the whole module has here, the values taken out of it, and the types."""
    whole: str | None = None
    values: list[_Pair] = []
    types: list[_Pair] = []
    for clause in node.named_children:
        parts = clause.named_children if clause.type == "import_clause" else [clause]
        for part in parts:
            if part.type == "identifier" and clause.type == "import_clause":
                values.append(("default", module.text(part)))
            elif part.type in ("namespace_import", "namespace_export", "import_require_clause"):
                whole = module.text(child(part))
            elif part.type in ("named_imports", "export_clause"):
                for named_child in part.named_children:
                    if named_child.type not in ("import_specifier", "export_specifier"):
                        continue
                    into = types if named_child.children[0].type == "type" else values
                    into.append(_pair(module, named_child))
    return whole, values, types


def _pair(module: Module, node: Node) -> _Pair:
    name = module.part(node, "name")
    return name, module.part(node, "alias") or name


def _required(
    module: Module, node: Node, assigned: dict[int, tuple[Node, Node]]
) -> Iterator[Import]:
    name = module.literal(module.given(node).get(0))
    if not name:
        return
    kind: ImportKind = "lazy" if module.is_inside_function(node) else "module"
    variable, value = assigned.get(node.start_byte, (None, node))
    whole = child(value, "object") or value
    if module.text(variable) == "module.exports" and value.end_byte == node.end_byte:
        yield Import(name, line_of(node), "reexport", ("*",), ("*",))
    elif variable is None or whole.end_byte != node.end_byte:
        # `require("x").Router()`: the variable holds what is made, not the module.
        yield Import(name, line_of(node), kind)
    elif value.type == "member_expression":
        member = module.part(value, "property")
        yield Import(name, line_of(node), kind, (member,), (module.text(variable),))
    elif variable.type == "object_pattern":
        pairs = [_pattern(module, named_child) for named_child in variable.named_children]
        names = [pair for pair in pairs if pair is not None]
        yield Import(
            name, line_of(node), kind, tuple(n for n, _ in names), tuple(b for _, b in names)
        )
    else:
        yield Import(name, line_of(node), kind, bound=(module.text(variable),))


def _pattern(module: Module, node: Node) -> _Pair | None:
    if node.type == "shorthand_property_identifier_pattern":
        return module.text(node), module.text(node)
    if node.type == "pair_pattern":
        value = child(node, "value")
        return module.part(node, "key"), module.text(value)
    return None


def exports_of(module: Module) -> Exports:
    """The names that a module exports, by `export` or by CommonJS' `exports`."""
    names: dict[str, None] = {}
    local: dict[str, None] = {}
    default = ""
    is_module = False
    for node in module.statements:
        is_module = True
        if node.type == "export_statement" and module.is_top(node):
            for inside, outside in _exported(module, node):
                names[outside] = None
                if child(node, "source") is None:
                    local[inside] = None
                    default = inside if outside == "default" else default
            # Of an object that is handed out, others see what it holds.
            local |= dict.fromkeys(map(module.text, module.members(child(node, "value")).values()))
    for _, target, value in module.assigned:
        parts = module.text(target).split(".")
        if parts[0] == "exports" or parts[:2] == ["module", "exports"]:
            is_module = True
            for name in _assigned(module, parts, value):
                names[name] = None
                default = _named(module, value) if name == "default" else default
            local[_named(module, value)] = None
            for member in module.members(value).values():
                local[module.text(member)] = None
    return Exports(tuple(names), frozenset(local), is_module, default)


def _assigned(module: Module, parts: list[str], value: Node) -> Iterator[str]:
    """`module.exports = …` hands out a whole, `exports.name = …` one name."""
    if parts[-1] != "exports":
        yield parts[-1]
    elif value.type == "object":
        yield from module.members(value)
    else:
        yield "default"


def _exported(module: Module, node: Node) -> Iterator[_Pair]:
    """Names here, and as others see them."""
    is_default = any(child.type == "default" for child in node.children[:4])
    declared = child(node, "declaration")
    if declared is not None:
        for name in _declared(module, declared):
            yield name, "default" if is_default else name
    elif is_default or any(child.type == "=" for child in node.children[1:2]):
        value = child(node, "value") or child(node, node.named_child_count - 1)
        yield _named(module, value), "default"
    else:
        whole, values, types = _clauses(module, node)
        yield from values + types
        if whole is not None:
            yield "", whole
        elif child(node, "source") is not None and not values and not types:
            yield "", "*"


def _named(module: Module, value: Node | None) -> str:
    """What is handed out: a name, that of a function, or the first that a function such as `memo`
    is given."""
    while value is not None and value.type == "call_expression":
        on = child(child(value, "function"))
        if on is not None and on.type == "call_expression":
            return ""  # A chain makes something new: `Router().use(api)`.
        given = (module.given(value).get(place) for place in range(2))
        value = next((node for node in given if node and node.type in _NAMED), None)
    if value is not None and value.type in ("class", "function_expression"):
        return module.part(value, "name")
    return module.text(value) if value is not None and value.type == "identifier" else ""


def _declared(module: Module, node: Node) -> Iterator[str]:
    if node.type in ("lexical_declaration", "variable_declaration"):
        for named_child in node.named_children:
            name = child(named_child, "name")
            if name is not None and name.type == "identifier":
                yield module.text(name)
            elif name is not None and name.type == "object_pattern":
                yield from (pair[1] for n in name.named_children if (pair := _pattern(module, n)))
    elif node.type == "ambient_declaration":
        for each in node.named_children:
            yield from _declared(module, each)
    else:
        name = child(node, "name")
        if name is not None:
            yield module.text(name)
