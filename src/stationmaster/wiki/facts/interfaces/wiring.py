"""Routes that several files say together: made by functions and classes of the project's own, or
put on routers that other files made."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple, TypeVar

import msgspec

from stationmaster.reading.code.model import GIVEN, Made, Maker, Mount, Route
from stationmaster.reading.code.signatures import parameters
from stationmaster.wiki.facts.code.bindings import handed_on, meant
from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.code.interfaces import FileInterfaces, interfaces
from stationmaster.wiki.facts.guarding.guards import Guard, named
from stationmaster.wiki.facts.interfaces.patterns import readable
from stationmaster.wiki.facts.model import Facts, Spot, query

_HOLE = re.compile(r"\{([\w.]+)\}")
_CONSTANT = re.compile(r"\{\$?([A-Za-z_][\w.]*)\}")
_EXPRESSION = re.compile(r"\{(?:the value of )?(?:(?:[\w.]*\.)?([A-Z][A-Z0-9_]+)|[\w.]*\.(\w+))\}")
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_METHOD = re.compile(r"[A-Za-z]{3,10}")
_DEPTH_MAX = 4
_T = TypeVar("_T")
_HANDED_MAX = 200
"""Files that hand names on."""


class Wired(msgspec.Struct, frozen=True):
    """`routes` and `mounts` by the file that says them; `prefixes` of routers, and what `guards`
    all that is put on them, by file and name."""

    routes: tuple[tuple[str, Route], ...]
    mounts: tuple[tuple[str, Mount], ...]
    prefixes: tuple[tuple[str, str, str], ...]
    guards: tuple[tuple[str, str, tuple[Guard, ...]], ...]


class _Router(NamedTuple):
    """A maker in the file that it lies in, with the guards that it adds."""

    maker: Maker
    guards: tuple[Guard, ...]


@query
def wired(facts: Facts) -> Wired:
    files = {file.path: file for file in interfaces(facts)}
    whole = _Files(facts, files, _given(facts, files))
    routes, prefixes, mounts, guards = [], [], [], []
    for path, code in files.items():
        for made in code.wiring.made:
            router = whole.maker(path, made.maker)
            own = (*(router.guards if router else ()), *named(facts, path, made.guards, made.line))
            if made.name and own:
                guards.append((path, made.name, own))
            if router is None:
                continue
            maker = router.maker
            if maker.handler:
                routes += [(path, route) for route in whole.routes(path, maker, made)]
            elif made.name and (prefix := _filled(maker.prefix, words := _words(maker, made))):
                # What a parameter has by default may name another one.
                prefixes.append(
                    (path, made.name, _filled(prefix, words) if ".cs" in path else prefix)
                )
        for route in code.wiring.routes:
            if framework := whole.framework(path, route.owner):
                routes.append((path, msgspec.structs.replace(route, framework=framework)))
        mounts += [
            (path, mount) for mount in code.wiring.mounts if whole.framework(path, mount.owner)
        ]
    return Wired(tuple(routes), tuple(mounts), tuple(prefixes), tuple(guards))


def told_elsewhere(facts: Facts, path: str, text: str, depth: int = _DEPTH_MAX) -> str:
    """An address whose holes are filled with constants of this file or of others."""

    def filled(hole: re.Match[str]) -> str:
        for origin in meant(facts, path, hole[1]) if depth else ():
            text = _text(facts, origin.path, origin.name)
            if text is not None:
                return told_elsewhere(facts, origin.path, text, depth - 1)
        return hole[0]

    return _CONSTANT.sub(filled, text) if "{" in text else text


@query
def _text(facts: Facts, path: str, name: str) -> str | None:
    """A constant of a file, or of one whose names it hands on: `export * from "./names"`."""
    files, at = [path], 0
    while at < len(files) <= _HANDED_MAX:
        text = _texts(facts).get(files[at], {}).get(name)
        if text is not None:
            return text
        files += (target for target in handed_on(facts, files[at]) if target not in files)
        at += 1
    return None


def home(facts: Facts, path: str, name: str) -> Spot:
    """Where a router that a file names is declared."""
    origins = meant(facts, path, name)
    if len(origins) != 1:
        return Spot(path, name)
    (origin,) = origins
    file = facts.code.get(origin.path) if origin.name in ("", "default") else None
    return Spot(origin.path, file.default) if file and file.default else origin


def ancestors(start: _T, parents: Mapping[_T, Collection[_T]]) -> list[_T]:
    """What all is around something, with itself."""
    around = {start: None}
    waiting = [start]
    while waiting:
        new = [it for it in parents.get(waiting.pop(), ()) if it not in around]
        around.update(dict.fromkeys(new))
        waiting += new
    return [*around]


def files_of_routers(
    facts: Facts, path: str, words: str, routers: Mapping[str, Collection[str]]
) -> set[str]:
    """The other files whose `routers` an expression may mean all together."""
    origins = meant(facts, path, words)
    return {it.path for it in origins if not _is_beside(facts, it, routers.get(it.path, ()))} - {
        path
    }


def _is_beside(facts: Facts, origin: Spot, routers: Collection[str]) -> bool:
    """Is what JavaScript imports by its name none of the `routers` of its file: a function that
    calls the next one, or something beside a router that is the default?"""
    code = facts.code.get(origin.path)
    if code is None or origin.name in ("", "default", code.default):
        return False
    symbol = symbol_of(facts, *origin)
    is_passing = symbol is not None and "next" in parameters(symbol.signature)
    return code.default in routers or is_passing


@query
def _texts(facts: Facts) -> Mapping[str, Mapping[str, str]]:
    return {file.path: dict(file.wiring.texts) for file in interfaces(facts) if file.wiring.texts}


@query
def _makers(facts: Facts) -> Mapping[str, tuple[Maker, ...]]:
    """Those that other files name without an import, by name: an interface of .NET, and behind a
    dot what a property holds in JavaScript."""
    makers: dict[str, tuple[Maker, ...]] = {}
    for file in interfaces(facts):
        is_script = _SCRIPT.search(file.path) is not None
        for maker in file.wiring.makers if is_script or file.path.endswith(".cs") else ():
            name = f".{maker.name}" if is_script else maker.name
            makers[name] = (*makers.get(name, ()), maker)
    return makers


def _given(facts: Facts, files: Mapping[str, FileInterfaces]) -> Mapping[str, str]:
    """Files whose functions others give a router of a framework."""
    is_asked = any(made.maker == GIVEN for file in files.values() for made in file.wiring.made)
    whole = _Files(facts, files, {})
    return {
        origin.path: framework
        for path, file in (files.items() if is_asked else ())
        for mount in (file.mounts if _SCRIPT.search(path) else ())
        if (framework := whole.framework(path, mount.owner))
        for origin in meant(facts, path, mount.child)
    }


class _Files(NamedTuple):
    """`given` are frameworks by the files whose functions are given a router."""

    facts: Facts
    interfaces: Mapping[str, FileInterfaces]
    given: Mapping[str, str]

    def maker(self, path: str, words: str, depth: int = _DEPTH_MAX) -> _Router | None:
        for origin in meant(self.facts, path, words):
            file = self.interfaces.get(origin.path)
            for maker in file.wiring.makers if file else ():
                # An import of Java is of a file that is called as its type.
                if maker.name == (origin.name or origin.path.rpartition("/")[2].partition(".")[0]):
                    return self._on_base(origin.path, maker, depth)
        name = f".{words.rpartition('.')[2]}" if _SCRIPT.search(path) and "." in words else words
        makers = _makers(self.facts).get(name, ())
        is_one = bool(makers) and all(maker == makers[0] for maker in makers)
        return _Router(makers[0], ()) if is_one else None

    def _on_base(self, path: str, maker: Maker, depth: int) -> _Router | None:
        """A class of routers with what it has from those that it builds on."""
        symbol = symbol_of(self.facts, path, maker.name)
        own = named(self.facts, path, maker.guards, symbol.line if symbol else 0)
        if not maker.base:
            return _Router(maker, own)
        base = self.maker(path, maker.base, depth - 1) if depth else None
        if base is None or base.maker.handler:
            return None
        words = {**base.maker.defaults, "prefix": maker.prefix}
        joined = msgspec.structs.replace(
            maker,
            framework=base.maker.framework,
            prefix=_filled(base.maker.prefix, words),
            parameters=maker.parameters or base.maker.parameters,
            defaults={**base.maker.defaults, **maker.defaults},
        )
        return _Router(joined, (*base.guards, *own))

    def routes(self, path: str, maker: Maker, made: Made) -> Iterator[Route]:
        """The route that a call makes, once for each method."""
        words = _words(maker, made)
        address = told_elsewhere(self.facts, path, _filled(maker.prefix, words))
        methods = _filled(maker.method, words)
        handler = _filled(maker.handler, words).strip("{}")
        for method in methods.split(",") if methods else ("ANY",):
            if address.startswith(("/", "^")) and _METHOD.fullmatch(method):
                guard, *further = made.guards or ("",)
                place = (method.upper(), address, made.line, handler, "")
                yield Route(*place, guard, made.framework, tuple(further))

    def framework(self, path: str, owner: str) -> str:
        """Of a router by its name; '' for what is none."""
        for where in (home(self.facts, path, owner), Spot(path, owner.removeprefix("this."))):
            file = self.interfaces.get(where.path)
            for made in file.wiring.made if file else ():
                if made.name == where.name and made.maker == GIVEN:
                    return self.given.get(where.path, "")
                if made.name == where.name:
                    router = self.maker(where.path, made.maker)
                    return made.framework or (router.maker.framework if router else "")
        return ""


def _words(maker: Maker, made: Made) -> Mapping[str, str]:
    """What the parameters of a maker are given."""
    placed = {
        maker.parameters[int(key)]: text
        for key, text in made.given.items()
        if key.isdigit() and int(key) < len(maker.parameters)
    }
    named = {key: text for key, text in made.given.items() if not key.isdigit()}
    return {**maker.defaults, **placed, **named}


def _filled(template: str, words: Mapping[str, str]) -> str:
    return _HOLE.sub(lambda hole: words.get(hole[1], ""), template)


@query
def constants(facts: Facts) -> Mapping[str, str]:
    """Texts that settings have by default, where all of one name agree."""
    values_of: dict[str, set[str]] = defaultdict(set)
    for file in interfaces(facts):
        for setting in file.settings:
            if setting.default is not None and setting.default[:1] in ("", "/"):
                values_of[setting.name].add(setting.default)
    return {name: values.pop() for name, values in values_of.items() if len(values) == 1}


def shown_path(path: str, constants: Mapping[str, str]) -> str:
    """The path as a client sends it; variables as the framework writes them."""

    def argument(hole: re.Match[str]) -> str:
        text = constants.get(hole[1] or hole[2].upper(), hole[0])
        # A variable of the framework has no dots, and is never empty.
        return text if text or "." in hole[0] else hole[0]

    shown = _EXPRESSION.sub(argument, readable(path))
    return re.sub("/{2,}", "/", f"/{shown}") if "://" not in shown else shown


def joined_path(prefix: str, path: str) -> str:
    """A path below a prefix; procedures have dots between their names."""
    is_apart = prefix.endswith(("/", ".")) or path.startswith(("/", "^")) or not prefix or not path
    return f"{prefix}{'' if is_apart else '/'}{path}"
