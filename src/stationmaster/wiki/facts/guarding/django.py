"""Guards of views of Django: those that settings give to views of its REST framework, and what a
guard reads of the view."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stationmaster.catalogue import code
from stationmaster.reading.code.model import Route, Symbol
from stationmaster.wiki.facts.code.bindings import declaration
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import types
from stationmaster.wiki.facts.guarding import handlers, permissions
from stationmaster.wiki.facts.guarding.guards import Guard, declared, forbidding, in_body
from stationmaster.wiki.facts.model import Facts, query

_FRAMEWORK = "rest_framework"
_SETTINGS = "REST_FRAMEWORK"
_USUAL = re.compile(
    r"[\"']DEFAULT_PERMISSION_CLASSES[\"']\s*+:\s*+[\[(]((?:\s*+[\"'][\w.]++[\"']\s*+,?)*+)\s*+[\])]"
)
_TEXT = re.compile(r"[\"']([\w.]+)[\"']")
_OWN = re.compile(r"\s+permission_classes\b")
_OF_VIEW = re.compile(r"\bview\.(\w+)(?!\w|\()")
_IF_FLAG = re.compile(r"\s+if self\.(\w+)(?: and\b[^:]*)?:")
_GUARDED = code.table("python.routes.guarded", dict[str, str])
"""The guards of views of Django that have one of their own."""


def asking(
    facts: Facts, path: str, route: Route, where: str, handler: Symbol | None
) -> Iterator[Guard]:
    """The guards that the handler of a route of Python has, which the file `where` declares if the
    repository does so: by itself, by its class or by the settings."""
    if handler is None:
        yield from _built_in(facts, path, route.handler)
        return
    view = _view(facts, path, route, where, handler)
    for place in types(facts).around(view) if view[1] else ():
        symbol = symbol_of(facts, *place)
        for base in symbol.bases if symbol else ():
            yield from _built_in(facts, place[0], base)
    for guard in handlers.asking(facts, where, handler, view):
        flag = _deciding(facts, *guard.spot) if guard.spot else ""
        value = dict(it.split("=", 1) for it in route.attributes).get(flag, "")
        value = value or _flag(facts, *view, flag) if flag else ""
        if value != "False":
            yield guard._replace(name=_with_flags(facts, guard, *view))
    yield from (
        guard._replace(name=_with_flags(facts, guard, *view))
        for guard in _usual_of(facts, where, handler, *view)
    )


def _view(facts: Facts, path: str, route: Route, where: str, handler: Symbol) -> tuple[str, str]:
    """The file and name of the class that answers a route: a handler itself, the class that a route
    names with its method, or else the one that holds it; without a name for a function."""
    if handler.kind == "class" or not handler.container:
        return where, handler.qualified if handler.kind == "class" else ""
    named = declaration(facts, path, route.handler.rpartition(".")[0])
    is_class = named is not None and named[1].kind == "class"
    return (named[0], named[1].qualified) if named and is_class else (where, handler.container)


def _built_in(facts: Facts, path: str, words: str) -> Iterator[Guard]:
    """The guard that a view of Django itself has, as a file calls it."""
    guard, first = _GUARDED.get(words.rpartition(".")[2]), words.partition(".")[0]
    imports = facts.code[path].imports if guard else ()
    if guard and any(it.name.startswith("django.") and first in it.bound for it in imports):
        yield Guard(guard, None)


@query
def _deciding(facts: Facts, path: str, name: str) -> str:
    """The attribute of a view without which a method that runs before its handlers refuses nothing:
    `if self.is_closed and …`; '' where none decides alone."""
    method = symbol_of(facts, path, name)
    if method is None or method.kind != "method":
        return ""
    lines = lines_of(facts, path)[method.line - 1 : method.end]
    conditions = {
        asked[1] if (asked := _IF_FLAG.match(lines[at - 1])) else ""
        for at in range(1, len(lines))
        if forbidding().match(lines[at])
    }
    return conditions.pop() if len(conditions) == 1 else ""


def _usual_of(facts: Facts, where: str, handler: Symbol, path: str, holder: str) -> Sequence[Guard]:
    """The permissions of a view that states none, where all that it builds on is known."""
    usual = _usual(facts)
    if not usual:
        return ()
    if not holder:
        is_bare = "api_view" in handler.marks and "permission_classes" not in handler.marks
        return usual if is_bare else ()
    is_stated = permissions.of_action(facts, where, handler) is not None
    is_stated |= permissions.choosing(facts, path, holder, handler) is not None
    bases = set[str]()
    for place in types(facts).around((path, holder)):
        is_stated |= any(in_body(facts, *place, _OWN))
        bases.update(_packages(facts, *place))
    return usual if bases == {_FRAMEWORK} and not is_stated else ()


def _packages(facts: Facts, path: str, holder: str) -> Iterator[str]:
    """The packages of the bases of a class that others declare; '' for what nobody knows."""
    symbol = symbol_of(facts, path, holder)
    bound = {name: it for it in facts.code[path].imports for name in it.bound}
    for base in symbol.bases if symbol else ("",):
        import_ = bound.get(base.partition(".")[0])
        if base != "object" and declaration(facts, path, base) is None:
            # Views that give tokens out have permissions of their own.
            is_known = import_ is not None and ".authtoken" not in import_.name
            yield import_.name.partition(".")[0] if import_ is not None and is_known else ""


@query
def _usual(facts: Facts) -> tuple[Guard, ...]:
    """The permissions of all views without their own; () where no settings or several set them."""
    listed = set[tuple[str, ...]]()
    for path, file in facts.code.items():
        is_source = path.endswith(".py") and facts.records[path].file_class == "source"
        for symbol in file.symbols if is_source else ():
            if symbol.qualified == _SETTINGS:
                text = "\n".join(lines_of(facts, path)[symbol.line - 1 : symbol.end])
                if "DEFAULT_PERMISSION_CLASSES" in text:
                    match = _USUAL.search(text)
                    listed.add(tuple(_TEXT.findall(match[1])) if match else ())
    names = listed.pop() if len(listed) == 1 else ()
    return tuple(Guard(it.rpartition(".")[2], declared(facts, "", it)) for it in names)


def _with_flags(facts: Facts, guard: Guard, path: str, holder: str) -> str:
    """The name of a permission with what its check reads of the view: `Members(is_open=True)`."""
    names = _read_of_view(facts, *guard.spot) if guard.spot and holder else ()
    flags = [f"{name}={value}" for name in names if (value := _flag(facts, path, holder, name))]
    return f"{guard.name}({', '.join(flags)})" if flags else guard.name


@query
def _read_of_view(facts: Facts, path: str, permission: str) -> tuple[str, ...]:
    """The attributes of a view that the nearest check of a permission reads."""
    for where, name in types(facts).around((path, permission)):
        if check := symbol_of(facts, where, f"{name}.has_permission"):
            text = "\n".join(lines_of(facts, where)[check.line - 1 : check.end])
            return tuple(dict.fromkeys(_OF_VIEW.findall(text)))
    return ()


def _flag(facts: Facts, path: str, holder: str, name: str) -> str:
    """Whether an attribute of a class is true or false, by its own body or the nearest above."""
    form = re.compile(rf"\s+{name}\s*(?::\s*bool\s*)?=\s*(True|False)\b")
    for place in types(facts).around((path, holder)):
        values = [match[1] for _, match in in_body(facts, *place, form)]
        if values:
            return values[-1]
    return ""
