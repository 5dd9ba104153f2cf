"""Routes of ASP.NET: attributes of controllers, and what is mapped on an application or a group."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import routers
from stationmaster.reading.code.languages.annotated import Framework, answers
from stationmaster.reading.code.languages.annotations import joined
from stationmaster.reading.code.languages.routers import Member, Router, Web, member
from stationmaster.reading.code.languages.source import (
    Arguments,
    calls_on,
    child,
    line_of,
    one_line,
    outward,
)
from stationmaster.reading.code.languages.unit import Called, Noted, Unit
from stationmaster.reading.code.model import Fact, Made, Maker, Mount, Route, Wiring

_ANNOTATED = code.table("csharp.routes.annotated", dict[str, Framework])
_WEBS = code.table("csharp.routes.routers", dict[str, Web])
_GUARD = "RequireAuthorization"
_VERSION = "HasApiVersion"
_FUNCTIONS = ("method_declaration", "local_function_statement", "lambda_expression")
ANONYMOUS = "AllowAnonymous"
"""What lets all callers pass, whatever else is asked for."""
_MARK = re.compile(
    r"[\[,]\s*+(Authorize|AllowAnonymous)\b"
    r"(?:\((?:[^\]]{0,200}?\b(?:Policy|Roles)\s*+=\s*+)?(\"[^\"\n]*+\"|[\w.]++)\s*+[,)])?"
)
_OF_TYPE = re.compile(r"MapHub<\s*+([\w.]+)\s*+>")
_TYPE_OF = re.compile(rb"\btypeof\((I[A-Z]\w*)\)")
_NAME_OF_TYPE = re.compile(rb"\bvar\s+(\w+)\s*=\s*\w+\.Name\s*;")
_GROUP_OF_TYPE = re.compile(rb'\$"(/[^"{}\n]{0,80})\{(\w+(?:\.Name)?)\}([^"{}\n]{0,80})"')
_PREFIX = re.compile(rb'\b\w*Prefix\s*=>\s*"(/?[^"\n]{0,100})"')
_PROVIDER = "IRouteTemplateProvider"
_TEMPLATE = re.compile(r"\bTemplate\s*=>?\s*\$?\"([^\"\n]{1,100})\"")
_CONSTRUCTOR = r"\b{}\(([^()]{{0,200}})\)(?:\s*:\s*base\(([^()]{{0,200}})\))?"
_CLASS = "class"
CALLS = frozenset(name for web in _WEBS.values() for name in {*web.methods, *web.blocks, _GUARD})


def routes(unit: Unit) -> Iterator[Fact]:
    """The routes of controllers and of `Map…` calls, by line, path and method."""
    found = [*_attributes(unit)]
    if calls := [each.node for each in unit.called if each.name in CALLS]:
        found += (fact for fact in _Reader(unit).read(calls) if isinstance(fact, Route))
    yield from sorted(found, key=lambda each: (each.line, each.path, each.method))
    yield from _wiring(unit, {route.owner for route in found if route.owner})


def _wiring(unit: Unit, owners: Container[str]) -> Iterator[Mount | Wiring]:
    """The prefixes that controllers take from a property.

    Also classes that are groups of endpoints by an interface of the project's own, and
    the code that puts all of them below a path with their names: `MapGroup($"/api/{type.Name}")`;
    and controllers whose path is an attribute of the class that they extend.
    """
    makers = []
    data = unit.data
    if b"MapGroup" in data and (group := _GROUP_OF_TYPE.search(data)):
        names = {match[1] for match in _NAME_OF_TYPE.finditer(data)}
        if group[2].endswith(b".Name") or group[2] in names:
            prefix = (group[1] + b"{class}" + group[3]).decode(errors="replace")
            interfaces = {match[1].decode() for match in _TYPE_OF.finditer(data)}
            makers = [
                Maker(interface, "ASP.NET", (_CLASS,), prefix) for interface in sorted(interfaces)
            ]
    makers += _attribute_classes(unit)
    makers += [
        Maker(each.name, "ASP.NET", (_CLASS,), prefix.replace("[controller]", f"{{{_CLASS}}}"))
        for each in unit.noted
        if each.kind == "class"
        and "Route" in each.notes
        and (prefix := each.notes["Route"].value(0))
    ]
    made, mounts = _of_own_attributes(unit)
    yield from mounts
    for symbol in unit.symbols:
        if symbol.qualified not in owners:
            continue
        if own := _PREFIX.search(data):
            yield Mount("", symbol.qualified, own[1].decode(errors="replace"), symbol.line)
            continue
        for base in symbol.bases:
            name = base.rpartition(".")[2]
            given = {_CLASS: symbol.name.removesuffix("Controller")}
            made.append(Made(symbol.qualified, name, symbol.line, given))
    yield Wiring((), tuple(made), tuple(makers))


def _attribute_classes(unit: Unit) -> list[Maker]:
    """The attributes of the project's own that say below which path a class answers."""
    makers: dict[str, Maker] = {}
    for symbol in unit.symbols:
        name = symbol.name
        if symbol.kind != "class" or not name.endswith("Attribute") or not symbol.bases:
            continue
        lines = unit.data.decode(errors="replace").splitlines()[symbol.line - 1 : symbol.end]
        start = re.search(_CONSTRUCTOR.format(name), "\n".join(lines))
        taken = [it.split("=") for it in start[1].split(",")] if start else []
        names = tuple(it[0].split()[-1] for it in taken if it[0].split())
        defaults = {
            it: _plain(unit, given[1]) for it, given in zip(names, taken, strict=False) if given[1:]
        }
        own, base = _TEMPLATE.search("\n".join(lines)), makers.get(symbol.bases[0])
        if own is not None and _PROVIDER in symbol.bases:
            makers[name] = Maker(name, "ASP.NET", names, own[1], defaults=defaults)
        elif base is not None and start is not None and start[2]:
            texts = [
                _plain(unit, it) if '"' in it or it.strip().isdigit() else f"{{{it.strip()}}}"
                for it in start[2].split(",")
            ]
            words = {**base.defaults, **dict(zip(base.parameters, texts, strict=False))}
            prefix = base.prefix
            for word, text in words.items():
                prefix = prefix.replace(f"{{{word}}}", text)
            makers[name] = Maker(name, "ASP.NET", names, prefix, defaults=defaults)
    return list(makers.values())


def _plain(unit: Unit, word: str) -> str:
    """A text, a number, or what a constant of the file holds; the controller's name as a hole."""
    text = word.strip().strip('"')
    text = unit.constant_texts.get(text, text)
    return text.replace("[controller]", f"{{{_CLASS}}}")


def _of_own_attributes(unit: Unit) -> tuple[list[Made], list[Mount]]:
    """Classes with attributes that may say below which path they answer, and what they extend: that
    answers there, too."""
    made, mounts = list[Made](), list[Mount]()
    for each in unit.noted:
        symbol = next((it for it in unit.symbols if it.qualified == each.qualified), None)
        if each.kind != "class" or symbol is None or not symbol.bases:
            continue
        base = symbol.bases[0].partition("<")[0].rpartition(".")[2]
        if "Controller" not in base:
            continue
        name = each.name.removesuffix("Controller")
        for word, note in each.notes.items():
            given = {_CLASS: name} | {str(at): note.value(at) for at in range(len(note.given.at))}
            made.append(Made(each.qualified, f"{word}Attribute", symbol.line, given))
        mounts.append(Mount(each.qualified, base, "", symbol.line))
    return made, mounts


def _owner(unit: Unit, scope: str) -> str:
    """The class whose method is given a group of routes, where it says that it is one."""
    holder = scope.rpartition(".")[0]
    for symbol in unit.symbols:
        if symbol.qualified == holder and symbol.kind == "class" and symbol.bases:
            return holder
    return ""


def _attributes(unit: Unit) -> Iterator[Route]:
    for row in _ANNOTATED.values():
        for it in answers(unit, row):
            each, path = it.each, _filled(_below(it.prefix, it.path), it.each)
            owner = "" if it.has_prefix or it.path.startswith(("/", "~/")) else each.holder
            limit = it.notes.get("EnableRateLimiting")
            limits = (f"EnableRateLimiting({limit.value(0)})",) if limit else ()
            place = (it.method, path, it.note.line, each.qualified, owner)
            guard, *further = _guards(it.above, each.notes)
            yield Route(*place, guard, row.name, tuple(further), unread=limits)


def _below(prefix: str, path: str) -> str:
    """A path that begins at the root leaves the prefix out."""
    return joined("", path.lstrip("~")) if path.startswith(("/", "~/")) else joined(prefix, path)


def _filled(path: str, each: Noted) -> str:
    controller = each.holder.rpartition(".")[2].removesuffix("Controller")
    return path.replace("[controller]", controller).replace("[action]", each.name)


def _guards(*noted: Mapping[str, Called]) -> tuple[str, ...]:
    """What the class and the method demand, also where others let all in."""
    notes = [note for it in noted if (note := it.get("Authorize"))]
    return marked("".join(f"[Authorize{note.written}" for note in notes)) or ("",)


def marked(text: str) -> tuple[str, ...]:
    """The guards that marks are: `Authorize(Admin)` with its policy or roles, as a text or the
    constant that is one; one without any says no more beside it."""
    marks = [f"{it[1]}({it[2].strip(chr(34))})" if it[2] else it[1] for it in _MARK.finditer(text)]
    return tuple(dict.fromkeys([it for it in marks if "(" in it] or marks))


def _conditions(unit: Unit, node: Node) -> list[str]:
    """The conditions under which a function runs a node, the outermost first."""
    conditions = list[str]()
    for outer, inner in outward(node, *_FUNCTIONS):
        if outer.type == "if_statement":
            written = one_line(unit.text(child(outer, "condition")), 100)
            if inner == child(outer, "consequence"):
                conditions.append(written)
            elif inner == child(outer, "alternative"):
                conditions.append(f"!({written})")
    return conditions[::-1]


class _Reader(routers.Reader):
    """Of an application, and of what maps routes on one that it is given."""

    def __init__(self, unit: Unit) -> None:
        super().__init__(unit, [("", web) for web in _WEBS.values()])

    def guards(self, call: Member) -> tuple[str, ...]:
        """What is called on a group or a route."""
        return (_GUARD,) if call.name == _GUARD else ()

    def on_router(self, node: Node, call: Member, router: Router) -> None:
        """Add what is mapped; a group of which this is asked is behind it from now on."""
        held = self.holding(call.on) if call.name == _GUARD else None
        if held is None:
            super().on_router(node, call, router)
            return
        holders = self.held[self.unit.text(call.on)]
        holders[holders.index(held)] = held._replace(router=router.behind((_GUARD,)))

    def router(self, node: Node, name: str = "", depth: int = 0) -> Router | None:
        """The router that an expression is, with the versions of the API that it is asked for."""
        router = super().router(node, name, depth)
        call = member(self.unit, node) if router is not None else None
        return self._versioned(router, call.name, node) if router and call else router

    def _versioned(self, router: Router, name: str, call: Node) -> Router:
        """A router with one more version, where a call asks for one."""
        if name != _VERSION:
            return router
        version = f"{name}{one_line(self.unit.text(child(call, 'arguments')), 40)}"
        condition = " or ".join(filter(None, (router.condition, version)))
        return router._replace(condition=condition)

    def line(self, node: Node) -> int:
        """The line of its arguments."""
        return line_of(child(node, "arguments") or node)

    def path(self, nodes: Sequence[Node]) -> str:
        """The first text."""
        return next(filter(None, (next(iter(self.unit.texts(node)), "") for node in nodes)), "")

    def route(self, node: Node, router: Router, methods: tuple[str, ...], given: Arguments) -> None:
        """Add a route; of two arguments, one is the path: where it is no text, it is not known."""
        path = self.path(given.at)
        name = self.unit.part(child(node, "function"), "name")
        if name == "MapMethods":
            methods = self.verbs(given.at[1:2]) or methods
        if path or (name != "Map" and len(given.at) == 1):
            scope = self.scopes.at(node.start_byte)
            calls = {self.unit.part(member, "name") for member, _ in calls_on(node)}
            guards = (_GUARD,) if _GUARD in calls else router.guards
            marks = (_MARK.match(self.unit.text(it)) for it in given.at)
            guards = (*guards, *(name for it in marks if it for name in marked(it[0])))
            guards = (ANONYMOUS,) if ANONYMOUS in calls else guards
            path = joined(router.prefix, path)
            for named, call in calls_on(node):
                router = self._versioned(router, self.unit.part(named, "name"), call)
            condition = " and ".join(
                filter(None, (*_conditions(self.unit, node), router.condition))
            )
            router = Router(router.web, _owner(self.unit, scope), "", guards, condition)
            held = _OF_TYPE.fullmatch(name)
            self.add(node, router, methods, path, held[1] if held else self._handler(given, scope))

    def _handler(self, given: Arguments, scope: str) -> str:
        """The method that is given by its name; '' for one that is written where the route is
        mapped, which is the route's own."""
        for node in given.at:
            if node.type in ("identifier", "member_access_expression"):
                name = self.unit.text(node)
                own = f"{scope.rpartition('.')[0]}.{name}".lstrip(".")
                is_own = any(symbol.qualified == own for symbol in self.unit.symbols)
                return own if is_own else name
        return ""
