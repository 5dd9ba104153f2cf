"""Every regular expression of the program, and how the code uses it."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

import stationmaster
from stationmaster.catalogue import lists

_CALLS = frozenset(
    ("compile", "search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "split")
)
_REPEATED = frozenset({"findall", "finditer", "sub", "subn", "split"})
_NAMED = re.compile(rf"\.\s*(?:{'|'.join(sorted(_CALLS))})\b|\blists\s*\.\s*pattern\b")
_DEPTH_MAX = 6
_UNKNOWN = "name"
"""Stands for a part of a pattern that only a call knows."""
Key = tuple[Any, int]
"""A pattern and its flags."""


class Expression(NamedTuple):
    """`methods` are those of `re.Pattern` that the code calls; `place` is module and line."""

    pattern: Any
    flags: int
    methods: tuple[str, ...]
    place: str


def collect() -> tuple[list[Expression], list[str]]:
    """All expressions, each once, and the places of those whose pattern could not be evaluated."""
    modules = list(_modules())
    nodes = {module.__name__: _nodes(module) for module in modules}
    used = _uses(nodes)
    loose = {name: _loose(of_module) for name, of_module in nodes.items()}
    methods: dict[Key, set[str]] = defaultdict(set)
    places: dict[Key, str] = {}
    unread: list[str] = []
    for module in modules:
        for call, target in _calls(nodes[module.__name__]):
            place = f"{module.__name__}:{call.lineno}"
            try:
                compiled = re.compile(*_evaluated(call, module))
            except (NameError, AttributeError, TypeError, re.error, KeyError, IndexError):
                unread.append(place)
                continue
            assert isinstance(call.func, ast.Attribute)
            key = (compiled.pattern, compiled.flags)
            places.setdefault(key, place)
            if call.func.attr != "compile":
                methods[key].add(call.func.attr)
            elif target:
                methods[key] |= used[module.__name__, target] | used["", target]
    for name, of_module in nodes.items():
        for purpose, method in _listed(of_module):
            compiled = lists.pattern(purpose)
            key = (compiled.pattern, compiled.flags)
            places.setdefault(key, f"{name}: {purpose}")
            methods[key] |= {method} - {""}
    known = {key for key, names in methods.items() if names}
    for module in modules:
        for name, found in _held(vars(module), _DEPTH_MAX, set()):
            key = (found.pattern, found.flags)
            places.setdefault(key, f"{module.__name__}.{name}")
            if key not in known:  # Who holds it in a table calls it by another name.
                methods[key] |= loose[module.__name__]
    kept = [Expression(*key, _distinct(methods[key]), places[key]) for key in places]
    return kept, unread


def _modules() -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages(stationmaster.__path__, "stationmaster."):
        if info.name.endswith("__main__") or ".migrations." in info.name:
            continue
        yield importlib.import_module(info.name)


def _nodes(module: ModuleType) -> list[ast.AST]:
    """What may call or hold an expression, found by one walk through the module's tree; nothing of
    a module that names no method of one, because to parse it takes most of the time."""
    assert module.__file__ is not None
    with open(module.__file__, encoding="utf-8") as file:
        text = file.read()
    if not _NAMED.search(text):
        return []
    wanted = (ast.Attribute, ast.Call, ast.Assign, ast.AnnAssign)
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, wanted)]


def _uses(nodes: dict[str, list[ast.AST]]) -> dict[tuple[str, str], set[str]]:
    """Methods called on names, by module; by `""` those on attributes, which may be of any."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for module, of_module in nodes.items():
        for node in of_module:
            if not isinstance(node, ast.Attribute) or node.attr not in _CALLS:
                continue
            if isinstance(node.value, ast.Name):
                found[module, node.value.id].add(node.attr)
            elif isinstance(node.value, ast.Attribute):
                found["", node.value.attr].add(node.attr)
    return found


def _loose(nodes: list[ast.AST]) -> set[str]:
    """Methods that a module calls on what is no constant: on members of tables and arguments."""
    return {
        node.func.attr
        for node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _CALLS - {"compile", "split"}
        and not (isinstance(node.func.value, ast.Name) and node.func.value.id in ("re", "_re"))
        and not (isinstance(node.func.value, ast.Name) and node.func.value.id.isupper())
    }


def _calls(nodes: list[ast.AST]) -> Iterator[tuple[ast.Call, str | None]]:
    """Calls of the library with the name that the outcome is assigned to."""
    targets: dict[ast.AST, str] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            targets[node.value] = node.targets[0].id
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            targets[node.value] = node.target.id
    for node in nodes:
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in _CALLS
        ):
            yield node, targets.get(node)


def _listed(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    """Purposes of patterns of the catalogue, each with the method that is called, "" for none."""
    called = {
        node.value: node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and node.attr in _CALLS
    }
    for node in nodes:
        if (
            isinstance(node, ast.Call)
            and ast.unparse(node.func) == "lists.pattern"
            and isinstance(node.args[0], ast.Constant)
        ):
            yield str(node.args[0].value), called.get(node, "")


def _evaluated(call: ast.Call, module: ModuleType) -> tuple[Any, int]:
    assert isinstance(call.func, ast.Attribute)
    position = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(call.func.attr, 2)
    flags = next((each.value for each in call.keywords if each.arg == "flags"), None)
    if flags is None and len(call.args) > position:
        flags = call.args[position]
    pattern = _value(_Filled(module).visit(call.args[0]), module)
    if isinstance(pattern, re.Pattern):
        return pattern.pattern, pattern.flags
    return pattern, 0 if flags is None else int(_value(flags, module))


class _Filled(ast.NodeTransformer):
    """A name stands for what only a call knows: what `re.escape` of an argument gives, and a part
    of a text that is put together."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "escape":
            return ast.Constant(_UNKNOWN)
        return self.generic_visit(node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        self.generic_visit(node)
        node.value = self._known(node.value)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Mod):
            node.right = self._known(node.right)
        return node

    def _known(self, node: ast.expr) -> ast.expr:
        try:
            _value(node, self._module)
        except NameError:
            return ast.Constant(_UNKNOWN)
        return node


def _value(node: ast.expr, module: ModuleType) -> Any:
    code = compile(ast.fix_missing_locations(ast.Expression(node)), module.__name__, "eval")
    return eval(code, dict(vars(module)))


def _held(
    value: Any, depth: int, seen: set[int], name: str = ""
) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """The compiled expressions that a module's values hold."""
    if isinstance(value, re.Pattern):
        yield name, value
        return
    if not depth or id(value) in seen:
        return
    seen.add(id(value))
    for part, member in _members(value):
        # Nearly all values are plain, and to step into one costs ten times as much as to ask.
        if type(member) not in _PLAIN and not isinstance(member, ModuleType):
            yield from _held(member, depth - 1, seen, name or part)


_PLAIN = frozenset({str, bytes, int, bool, float, type(None)})


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    """What a value consists of, each with a name for it, which is empty where it has none."""
    if isinstance(value, dict):
        for key, member in list(value.items()):
            yield "", key
            yield str(key), member
    elif isinstance(value, list | tuple | set | frozenset):
        for member in value:
            yield "", member
    elif type(value).__module__.startswith("stationmaster."):
        names = [*getattr(value, "__struct_fields__", ()), *getattr(value, "__dict__", ())]
        for name in (*names, *getattr(value, "__slots__", ())):
            yield "", getattr(value, name, None)
    elif callable(value):
        for cell in getattr(value, "__closure__", None) or ():
            yield "", cell.cell_contents
        yield "", getattr(value, "__defaults__", None)


def _distinct(methods: set[str]) -> tuple[str, ...]:
    """Methods that differ in cost: all that look for every occurrence do it as `finditer` does."""
    costs = {"finditer" if each in _REPEATED else each for each in methods} - {"compile"}
    return tuple(sorted(costs or {"search"}))
