"""HTTP routes of Go: what is put on routers that imports prove to be some, and what methods called
GET, POST and the like are given with a path and a handler, whatever they are called on.

Functions that are given a router and a path make routes of their own kind: what they put on it is
templates, and what calls give to such a function is handed on.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace
from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import routers
from stationmaster.reading.code.languages.closures import asked_around
from stationmaster.reading.code.languages.go.fields import Fields
from stationmaster.reading.code.languages.go.frameworks import File
from stationmaster.reading.code.languages.go.rows import rows
from stationmaster.reading.code.languages.go.texts import Texts, call_words, is_open, names_of_texts
from stationmaster.reading.code.languages.go.untyped import (
    ANY,
    ELSEWHERE,
    GUARDED_BY,
    NAMES,
    PATTERN,
    api,
    chain,
    is_given,
    is_group,
    is_route,
    operation,
    served,
)
from stationmaster.reading.code.languages.routers import (
    CONDITION,
    UNPROVEN,
    Held,
    Member,
    Router,
    Web,
    member,
    route_on,
)
from stationmaster.reading.code.languages.source import (
    Arguments,
    calls_on,
    child,
    given_to,
    inside,
    line_of,
    one_line,
    path_below,
)
from stationmaster.reading.code.model import Fact, Handed, Mount, Route, Template, Wiring

_WEBS = code.table("go.routes.packages", dict[str, Web])
_UNKNOWN = "{$…}"
_NAMING = GUARDED_BY.union(ANY.methods, ANY.asked, ELSEWHERE.methods)
_MOUNTING = re.compile(code.table("go.routes.mounting", str))


def read(file: File) -> Iterator[Fact]:
    """The routes, mounts and servers of a file. One that imports nothing which routes may hand
    something on to functions of others that mount it."""
    webs = {name: _WEBS[path] for name, path in file.packages.items() if path in _WEBS}
    reader = _Reader(file, webs)
    asked = (it for it in file.called if webs or it.name in _NAMING or _MOUNTING.search(it.name))
    if called := [it.node for it in asked]:
        yield from reader.read(called)
    yield Wiring(
        routes=tuple(reader.routes),
        mounts=tuple(reader.open_mounts),
        made=tuple(reader.fields.made),
        texts=names_of_texts(file),
        templates=tuple(reader.templates),
        handed=tuple(reader.handed),
    )


class _Reader(routers.Reader):
    def __init__(self, file: File, webs: Mapping[str, Web]) -> None:
        super().__init__(file, webs.items())
        self._webs, self._file = webs, file
        self.packages = file.packages
        self.templates: list[Template] = []
        self.handed: list[Handed] = []
        self._texts = Texts(file)
        self._made_by: dict[str, str] = {}
        self.fields = Fields(file, self.typed)
        self.routes: list[Route] = []
        self.open_mounts: dict[Mount, None] = {}
        self._returned: set[tuple[str, str]] = set()
        self._others: defaultdict[str, list[Held]] = defaultdict(list)
        self._is_handler_first = file.has_second_varied(routers.METHODS)
        self._served = dict(served(self))
        for found in self.matches:
            if "return" in found:
                for name in found["name"]:
                    scope = self.scopes.at(name.start_byte)
                    self._returned.add((scope, self.unit.text(name)))

    def bind(self, node: Node, left: Node, right: Node) -> None:
        """Keep what made the object that a variable is assigned, too."""
        self._made_by[self.unit.text(left)] = self.unit.part(right, "function")
        self._texts.keep(left, right)
        self.fields.bind(left, right)
        super().bind(node, left, right)
        self._kept(left, self.fields.of(left, self.unit.text(left)), right)
        if left.type == "identifier" and right.type == "call_expression":
            is_below = any(map(self._is_below, chain(right)))
            made = Router(ANY, self.scopes.at(left.start_byte), _UNKNOWN if is_below else "")
            self._note(left, made)

    def literal(self, node: Node) -> None:
        """Keep the routers that a struct is made with."""
        for field, value in self.fields.kept(node):
            self._kept(node, field, value)

    def _kept(self, node: Node, field: str, value: Node) -> None:
        """Add that the routes of a field are below the router that it is given."""
        router = self.router(value) if field else None
        if router is not None:
            self.mount(node, router, field)

    def named(self, node: Node) -> Router | None:
        """The router that a name stands for: a variable, a field by its type, or the package of the
        language's own library, which has one of its own."""
        name = self.unit.text(node)
        if node.type == "selector_expression":
            field = name.rpartition(".")[2]
            web, owner = self.fields.web(field), self.fields.of(node, name) or name
            if web is None and owner != name and self.fields.is_open(field):
                web = ELSEWHERE
        else:
            web, owner = self._webs.get(name), ""
            if web is None or web.name != "net/http":
                web, owner = self.fields.embedded(node, name)
        return super().named(node) or (Router(web, owner) if web else None)

    def holding(self, node: Node, held: Mapping[str, list[Held]] | None = None) -> Held | None:
        """Nothing for a name that a function written around it is given as its own."""
        known = super().holding(node, held)
        return None if known is not None and is_given(self, node, known.start) else known

    def router(self, node: Node, name: str = "", depth: int = 0) -> Router | None:
        """A group of a router that no import tells, too: `server.engine.Group("/api")`. Where a
        method that nobody knows is given a path, the prefix is not known either."""
        router, call = api(self, node) or super().router(node, name, depth), member(self.unit, node)
        if call is None:
            return router
        if router is None:
            is_own = is_group(call.name) and self.unit.text(call.on) not in self.packages
            return self.below(self._any(call.on), call) if is_own and call.given.at else None
        is_other = router.web is ANY and not is_group(call.name)
        return router._replace(prefix=_UNKNOWN) if is_other and self._is_below(node) else router

    def call(self, node: Node) -> None:
        """Add what a call puts on a router, for each row of a table that a loop goes through."""
        for row in (*rows(self._file, node),) or (None,):
            self._texts.row = row
            self._call(node)
        self._texts.row = None

    def line(self, node: Node) -> int:
        """That of the row, if there is one."""
        return self._texts.row.line if self._texts.row is not None else line_of(node)

    def verbs(self, nodes: Iterable[Node]) -> tuple[str, ...]:
        """Also those that a row of a table holds."""
        row = self._texts.row
        return super().verbs(nodes if row is None else map(row.of, nodes))

    def _call(self, node: Node) -> None:
        """Add what a call puts on a router that no import tells, too."""
        call = member(self.unit, node)
        if described := operation(self, node):
            self.route(node, *described)
        elif call is None or self.router(call.on) is not None:
            super().call(node)
        elif is_route(self, call):
            self.on_router(node, call, self._any(call.on))
        elif call.name in GUARDED_BY and (guards := self.guards(call)):
            self._note(call.on, self._any(call.on).behind(guards))
        else:
            super().call(node)

    def _any(self, node: Node) -> Router:
        """A router that no import tells, with what its variable is known to be below and behind."""
        held = self.holding(node, self._others)
        return held.router if held else Router(ANY, self.scopes.at(node.start_byte))

    def _note(self, name: Node, router: Router) -> None:
        """Let a name stand for such a router up to the end of the block."""
        held = Held(name.end_byte, self.block(name).end_byte, router)
        self._others[self.unit.text(name)].append(held)

    def _is_below(self, call: Node) -> bool:
        """Is a call given a path that it may put routes below?"""
        paths = (self.path([each]) for each in inside(call, "arguments"))
        return any(text is not None and text.startswith("/") for text in paths)

    def guards(self, call: Member) -> tuple[str, ...]:
        """Also what may be a guard by what it does; nothing for what takes away again what was put
        before a handler."""
        others = UNPROVEN if call.name in GUARDED_BY else None
        return () if call.name in ANY.passing else self.guarding(call.given.at, others)

    def owner(self, node: Node, name: str) -> str:
        """The function, where it returns the router; else the name that it is assigned to."""
        scope = self.scopes.at(node.start_byte)
        return scope if (scope, name) in self._returned else self.fields.of(node, name) or name

    def path(self, nodes: Sequence[Node]) -> str | None:
        """A text, with holes for what is declared elsewhere."""
        return self._texts.of(nodes[0]) if nodes else None

    def _whole(self, router: Router, nodes: Sequence[Node]) -> str | None:
        """The path of a route; on a router that an import tells, also one with parts that are not
        known."""
        is_told = len(nodes) > 1 and router.web is not ANY
        return self._texts.path(nodes[0]) if is_told else self.path(nodes[: len(nodes) > 1])

    def below(self, router: Router, call: Member) -> Router:
        """The router below the path that a call is given, as the code calls it if it is unknown."""
        inner = router.behind(self.guards(call))
        first = call.given.at[:1]
        is_below = call.name in router.web.groups | {"Mount"}
        is_below = is_below or (router.web is ANY and is_group(call.name))
        if not first or first[0].type == "func_literal" or not is_below:
            return inner
        prefix = path_below(router.prefix, self._texts.shown(first[0]))
        return inner._replace(prefix=prefix)

    def serve(self, node: Node, call: Member) -> None:
        """One that runs only if something is asked, such as for a profiler, is left out."""
        if "if " not in asked_around(self.unit, node):
            super().serve(node, call)

    def on_router(self, node: Node, call: Member, router: Router) -> None:
        """Add what is mounted, and handlers of a pattern or of all methods, too."""
        nodes = call.given.at
        if router.web is ELSEWHERE and is_route(self, call):
            router = router._replace(web=ANY)
        is_pattern = call.name not in router.web.asked or len(nodes) == 2
        if call.name in ("Handle", "HandleFunc") and is_pattern:
            self._pattern(node, router, nodes)
        elif call.name in ("Handler", "HandlerFunc") and len(nodes) == 1 and router.prefix:
            self._add(node, router, self._methods(node, router), "", nodes)
        elif call.name == "Mount" and len(nodes) == 2:
            other = self.router(nodes[1])
            child = other.owner if other else self._texts.given(nodes[1]).strip('"()')
            self.mount(node, self.below(router, call), child)
        elif call.name in GUARDED_BY - router.web.passing or call.name == "Use":
            self._put_before(node, call, router)
        else:
            super().on_router(node, call, router)
            behind = nodes[1:] if call.name in router.web.groups else nodes
            for function in behind[-1:] if call.name in router.web.blocks else ():
                if function.type in NAMES:
                    self.mount(node, self.below(router, call), self._callee(node, function))

    def _put_before(self, node: Node, call: Member, router: Router) -> None:
        """Put the guards that a call names before what is put on a router from now on; on a field
        up to the end of the block."""
        held, name = self.holding(call.on), self.unit.text(call.on)
        when = asked_around(self.unit, node, start=held.start) if held else ""
        guarded = router.behind(f"{it}{CONDITION}{when}".rstrip() for it in self.guards(call))
        if held is not None and held.router == router:
            holders = self.held[name]
            holders[holders.index(held)] = held._replace(router=guarded)
        elif held is None and "." in name and guarded != router:
            self.keep(name, node.end_byte, self.block(node).end_byte, guarded)

    def function(self, node: Node) -> str:
        """A function's name; a method's with the type around the call, or what made its object."""
        callee = child(node, "function")
        return self._callee(node, callee) if callee is not None and callee.type in NAMES else ""

    def _callee(self, node: Node, callee: Node) -> str:
        first, _, rest = (name := one_line(self.unit.text(callee), 80)).partition(".")
        holder = self.fields.holder(node, first)
        if first not in self._webs and holder and rest and "." not in rest:
            return f"{holder}.{rest}"
        if rest and (maker := self._made_by.get(first)):
            name, first = f"{maker}.{rest}", maker.partition(".")[0]
        return "" if first in (*self._webs, "httptest") else name

    def handed_on(self, node: Node) -> None:
        """Add what a function is given that may put routes on a router."""
        super().handed_on(node)
        name = one_line(self.unit.part(node, "function"), 80)
        if not self.function(node):
            return
        nodes = given_to(node)
        known = (self.router(it) for it in nodes)  # Another file may have to tell the type.
        routers = [None if it and it.web is ELSEWHERE else it for it in known]
        router = next(filter(None, routers), None)
        if router is None and not _MOUNTING.search(name.rpartition(".")[2]):
            return
        given = tuple(
            "" if is_router else self._texts.given(it)
            for it, is_router in zip(nodes, routers, strict=True)
        )
        if any(each.startswith(('"', "{$")) or "." in each for each in given):
            put = (router.owner, router.prefix, router.guards) if router else ()
            self.handed.append(Handed(name, line_of(node), given, *put))

    def mount(self, node: Node, router: Router, child: str, condition: str = "") -> None:
        """Add a mount, or the template of one."""
        condition = condition or asked_around(self.unit, node)
        if router.web is ELSEWHERE:
            if child and child != router.owner and not is_open(router.prefix):
                place = router.owner, child, router.prefix, line_of(node), router.guards
                self.open_mounts[Mount(*place, condition)] = None
            return
        if not is_open(router.prefix + child):
            super().mount(node, router, child, condition)
            return
        made = Mount(router.owner, child, router.prefix, line_of(node), router.guards, condition)
        self.templates.append(Template(self.scopes.at(node.start_byte), mount=made))

    def add(
        self, node: Node, router: Router, methods: Iterable[str], path: str, handler: str
    ) -> None:
        """Add a route for each method, or templates of them."""
        whole, line = path_below(router.prefix, path), self.line(node)
        asked = asked_around(self.unit, node)

        def routes(text: str, condition: str = "") -> Iterator[Route]:
            for method in methods:
                route = route_on(router, method, text, line, handler)
                yield replace(route, condition=condition)

        if router.web is ELSEWHERE:
            self.routes += routes(whole, asked)
        elif not is_open(whole):
            for text, condition in self._texts.variants(whole, asked):
                self.facts += routes(text, condition)
        else:
            scope, asked = self.scopes.at(node.start_byte), self._texts.condition(node)
            self.templates += [Template(scope, it, condition=asked) for it in routes(whole)]

    def _pattern(self, node: Node, router: Router, nodes: Sequence[Node]) -> None:
        """`GET host/path` of the language's own library, or a path that holds for all methods."""
        path = self._whole(router, nodes)
        if path == "" and router.prefix:
            self._add(node, router, self._methods(node, router), "", nodes[1:])
        found = PATTERN.fullmatch(path) if path else None
        if found is None:
            return
        stripped = inside(nodes[1], "arguments")
        if len(stripped) == 2 and (other := self.router(stripped[1])):
            prefix = router.prefix + (self.path(stripped) or found[3].rstrip("/"))
            self.mount(node, router._replace(prefix=prefix), other.owner)
            return
        methods = (found[1],) if found[1] else self._methods(node, router)
        self._add(node, router, methods, found[3], nodes[1:])

    def _methods(self, node: Node, router: Router) -> tuple[str, ...]:
        """Those of `router.HandleFunc(…).Methods("GET")`, else those that the router is asked for
        in a `switch` over the method."""
        named = (it for field, it in calls_on(node) if self.unit.part(field, "field") == "Methods")
        chained = self.verbs(verb for call in named for verb in inside(call, "arguments"))
        return chained or self._served.get(
            (self.scopes.at(node.start_byte), router.owner), ("ANY",)
        )

    def route(self, node: Node, router: Router, methods: tuple[str, ...], given: Arguments) -> None:
        """Add the routes of a path that is known."""
        if (path := self._whole(router, given.at)) is not None:
            self._add(node, router, methods, path, given.at[1:])

    def _add(
        self,
        node: Node,
        router: Router,
        methods: Iterable[str],
        path: str,
        handlers: Sequence[Node],
    ) -> None:
        is_first = router.web.name == "echo" or (router.web is ANY and self._is_handler_first)
        guards = self.guarding(handlers[1:] if is_first else handlers[:-1])
        for selector, call in calls_on(node):
            if self.unit.part(selector, "field") in GUARDED_BY:
                guards += self.guarding(inside(call, "arguments"))
        last = handlers[0 if is_first else -1]
        handler = self._texts.called(last)
        if is_open(path_below(router.prefix, path)):
            last, around = self._texts.unwrapped(last, self.guarding)
            handler = self._texts.handler(last) or call_words(self.unit, last)
            router = router.behind(around)
        if row := self._texts.row:
            handler = row.words(handler)
            stated = self.verbs([row.method]) if row.method and methods == ("ANY",) else ()
            methods = stated or methods
        self.add(node, router.behind(guards), methods, path, handler)
