"""Routes of ASP.NET: attributes of controllers, and what is mapped on an application or a group."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.items import Unit
from stationmaster.reading.code.languages.notes import Noted, joined
from stationmaster.reading.code.languages.tagged import Called
from stationmaster.reading.code.model import Made, Maker, Mount, Route, Wiring

_MVC = code.ordered("csharp.routes.packages")
_BASES = code.ordered("csharp.routes.bases")
_METHODS = code.ordered("csharp.routes.methods")
_OF_ATTRIBUTE = {f"Http{each}": each.upper() for each in _METHODS}
_OF_CALL = {f"Map{each}": each.upper() for each in _METHODS} | {
    "Map": "ANY",
    "MapMethods": "ANY",
    "MapHub": "ANY",
}
_BUILDERS = re.compile(
    rb"\b(?:WebApplication|I\w{0,40}EndpointRouteBuilder|RouteGroupBuilder)\??\s+(\w+)\b"
)
_MADE = re.compile(rb"\b(\w+)\s*=\s*WebApplication\.Create(?:Slim|Empty)?Builder\b")
_BUILT = re.compile(rb"\b(\w+)\s*=\s*(\w+)\.Build\(\)|\b(\w+)\s*=\s*WebApplication\.Create\(")
_STEPS_MAX = 40
_TYPE_OF = re.compile(rb"\btypeof\((I[A-Z]\w*)\)")
_NAME_OF_TYPE = re.compile(rb"\bvar\s+(\w+)\s*=\s*\w+\.Name\s*;")
_GROUP_OF_TYPE = re.compile(rb'\$"(/[^"{}\n]{0,80})\{(\w+(?:\.Name)?)\}([^"{}\n]{0,80})"')
_PREFIX = re.compile(rb'\b\w*Prefix\s*=>\s*"(/?[^"\n]{0,100})"')
_CLASS = "class"
CALLS = frozenset({*_OF_CALL, "MapGroup", "NewVersionedApi"})


def routes(unit: Unit) -> Iterator[Route]:
    """The routes of controllers and of `Map…` calls, by line, path and method."""
    found = [*_attributes(unit), *_mapped(unit)]
    yield from sorted(found, key=lambda each: (each.line, each.path, each.method))


def wiring(unit: Unit) -> list[Mount]:
    """The prefixes that controllers take from a property.

    Adds to the facts classes that are groups of endpoints by an interface of the project's own, and
    the code that puts all of them below a path with their names: `MapGroup($"/api/{type.Name}")`;
    and controllers whose path is an attribute of the class that they extend.
    """
    makers = []
    data = unit.source.data
    if b"MapGroup" in data and (group := _GROUP_OF_TYPE.search(data)):
        names = {match[1] for match in _NAME_OF_TYPE.finditer(data)}
        if group[2].endswith(b".Name") or group[2] in names:
            prefix = (group[1] + b"{class}" + group[3]).decode(errors="replace")
            interfaces = {match[1].decode() for match in _TYPE_OF.finditer(data)}
            makers = [
                Maker(interface, "ASP.NET", (_CLASS,), prefix) for interface in sorted(interfaces)
            ]
    makers += [
        Maker(each.name, "ASP.NET", (_CLASS,), prefix.replace("[controller]", f"{{{_CLASS}}}"))
        for each in unit.noted
        if each.kind == "class"
        and "Route" in each.notes
        and (prefix := each.notes["Route"].text(0))
    ]
    made, mounts = [], []
    owners = {route.owner for route in unit.facts.routes if route.owner}
    for symbol in unit.facts.symbols:
        if symbol.qualified not in owners:
            continue
        if own := _PREFIX.search(data):
            mounts.append(Mount("", symbol.qualified, own[1].decode(errors="replace"), symbol.line))
            continue
        for base in symbol.bases:
            name = base.rpartition(".")[2]
            given = {_CLASS: symbol.name.removesuffix("Controller")}
            made.append(Made(symbol.qualified, name, symbol.line, given))
    unit.facts.wiring = Wiring((), tuple(made), tuple(makers))
    return mounts


def _owner(unit: Unit, call: Called) -> str:
    """The class whose method is given a group of routes, where it says that it is one."""
    holder = call.caller.rpartition(".")[0]
    for symbol in unit.facts.symbols:
        if symbol.qualified == holder and symbol.kind == "class" and symbol.bases:
            return holder
    return ""


def _attributes(unit: Unit) -> Iterator[Route]:
    known = unit.proof.any_of(_MVC)
    derived = {symbol.qualified for symbol, _ in unit.classes(*_BASES)}
    classes = {each.qualified: each for each in unit.noted if each.kind == "class"}
    for each in unit.noted:
        methods = [name for name in each.notes if name in _OF_ATTRIBUTE]
        if each.kind != "method" or not methods or not (known or each.holder in derived):
            continue
        holder = classes.get(each.holder)
        above = holder.notes.get("Route") if holder else None
        prefix = above.text(0) if above else ""
        extra = each.notes["Route"].text(0) if "Route" in each.notes else ""
        for name in methods:
            note = each.notes[name]
            own = note.text(0, "template") or extra
            yield Route(
                _OF_ATTRIBUTE[name],
                _filled(_below(prefix, own), each),
                note.line,
                each.qualified,
                "" if above or own.startswith(("/", "~/")) else each.holder,
                guard=_guard(each, holder),
                framework="ASP.NET",
            )


def _below(prefix: str, path: str) -> str:
    """A path that begins at the root leaves the prefix out."""
    return joined("", path.lstrip("~")) if path.startswith(("/", "~/")) else joined(prefix, path)


def _filled(path: str, each: Noted) -> str:
    controller = each.holder.rpartition(".")[2].removesuffix("Controller")
    return path.replace("[controller]", controller).replace("[action]", each.name)


def _guard(each: Noted, holder: Noted | None) -> str:
    if "AllowAnonymous" in each.notes:
        return ""
    above = holder.notes if holder else {}
    return "Authorize" if "Authorize" in each.notes or "Authorize" in above else ""


class _Group(NamedTuple):
    """What routes are put on: the path before them, and what guards them."""

    prefix: str
    guard: str


class _Groups:
    """Variables that hold an application or a group of routes, by where they are known."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._scopes = unit.scopes
        self._known: dict[tuple[str, str], _Group] = {}
        data = unit.source.data
        for found in _BUILDERS.finditer(data):
            self._add(found[1], found.start(1))
        makers = {match[1] for match in _MADE.finditer(data)}
        for found in _BUILT.finditer(data):
            if found[3] or found[2] in makers:
                self._add(found[3] or found[1], found.start())

    def _add(self, name: bytes, place: int, group: _Group | None = None) -> None:
        key = self._scopes.at(place), name.decode(errors="replace")
        self._known.setdefault(key, group or _Group("", ""))

    def learn(self, call: Called) -> None:
        """`var api = app.MapGroup("/api");`"""
        group = self.of(call.node)
        node: Node | None = call.node
        for _ in range(_STEPS_MAX):
            node = node.parent if node is not None else None
            if node is None or node.type in ("variable_declarator", "assignment_expression"):
                break
        if node is not None and group is not None and node.named_children:
            name = self._unit.source.text(node.named_children[0]).encode()
            outer = node.named_children[-1]
            self._add(name, node.start_byte, self.of(outer) or group)

    def of(self, node: Node | None) -> _Group | None:
        """The group that an expression is; None where nothing proves that it is one."""
        prefixes: list[str] = []
        guard = ""
        for _ in range(_STEPS_MAX):
            if node is None:
                return None
            if node.type == "identifier":
                known = self._named(self._unit.source.text(node), node.start_byte)
                if known is None:
                    return None
                path = "/".join([known.prefix, *reversed(prefixes)])
                return _Group(path, guard or known.guard)
            if node.type == "invocation_expression":
                function = node.child_by_field_name("function")
                name = function.child_by_field_name("name") if function is not None else None
                text = self._unit.source.text(name)
                if text == "MapGroup":
                    given = Called(text, "", node, node.child_by_field_name("arguments"), "")
                    prefixes.append(self._unit.text(given, 0).strip("/"))
                elif text == "RequireAuthorization":
                    guard = text
                node = function
            else:
                node = node.child_by_field_name("expression")
        return None

    def _named(self, name: str, place: int) -> _Group | None:
        scope = self._scopes.at(place)
        while True:
            if (scope, name) in self._known:
                return self._known[scope, name]
            if not scope:
                return None
            scope = scope.rpartition(".")[0]


def _mapped(unit: Unit) -> Iterator[Route]:
    wanted = [each for each in unit.called if each.name in CALLS]
    if not wanted:
        return
    groups = _Groups(unit)
    for each in sorted(wanted, key=lambda each: (each.node.start_byte, -each.node.end_byte)):
        if each.name not in _OF_CALL:
            groups.learn(each)
            continue
        function = each.node.child_by_field_name("function")
        held = function.child_by_field_name("expression") if function is not None else None
        group = groups.of(held)
        given = unit.arguments(each)
        texts = [unit.text(each, place) for place in range(len(given.at))]
        path = next(filter(None, texts), "")
        # With two arguments, one is the path: here it is not known.
        is_known = path or (each.name != "Map" and len(given.at) == 1)
        if group is not None and given.at and is_known:
            yield Route(
                _OF_CALL[each.name],
                joined(group.prefix, path),
                each.line,
                _handler(unit, each),
                _owner(unit, each),
                _required(unit, each.node) or group.guard,
                "ASP.NET",
            )


def _handler(unit: Unit, call: Called) -> str:
    """The method that is given by its name; else where the route is mapped."""
    for given in unit.arguments(call).at:
        if given.type in ("identifier", "member_access_expression"):
            told = unit.source.text(given)
            own = f"{call.caller.rpartition('.')[0]}.{told}".lstrip(".")
            return own if any(symbol.qualified == own for symbol in unit.facts.symbols) else told
    return call.caller


def _required(unit: Unit, node: Node) -> str:
    """`RequireAuthorization` where it is called on the route."""
    at: Node | None = node
    for _ in range(_STEPS_MAX):
        at = at.parent if at is not None else None
        if at is None or at.type not in ("member_access_expression", "invocation_expression"):
            return ""
        if unit.source.part(at, "name") == "RequireAuthorization":
            return "RequireAuthorization"
    return ""
