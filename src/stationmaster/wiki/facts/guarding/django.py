"""Guards of views of Django: those that settings give to views of its REST framework, and what a
guard reads of the view."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stationmaster.reading.code.model import Symbol
from stationmaster.wiki.facts.code.bindings import declaration
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import types
from stationmaster.wiki.facts.guarding import handlers
from stationmaster.wiki.facts.guarding.guards import Guard, declared, in_body
from stationmaster.wiki.facts.model import Facts, Spot, query

_FRAMEWORK = "rest_framework"
_SETTINGS = "REST_FRAMEWORK"
_USUAL = re.compile(
    r"[\"']DEFAULT_PERMISSION_CLASSES[\"']\s*:\s*[\[(]((?:\s*[\"'][\w.]+[\"']\s*,?)*)\s*[\])]"
)
_TEXT = re.compile(r"[\"']([\w.]+)[\"']")
_OWN = re.compile(r"\s+permission_classes\b")
_OF_VIEW = re.compile(r"\bview\.(\w+)(?!\w|\()")
_HEAD_MAX = 20
"""Lines of decorators."""


def asking(facts: Facts, path: str, handler: Symbol) -> Iterator[Guard]:
    """The guards that a handler of Python has by itself, by its class or by the settings."""
    holder = handler.qualified if handler.kind == "class" else handler.container
    guards = [*handlers.asking(facts, path, handler), *_usual_of(facts, path, handler, holder)]
    for guard in guards:
        yield guard._replace(name=_with_flags(facts, guard, path, holder))


def _usual_of(facts: Facts, path: str, handler: Symbol, holder: str) -> Sequence[Guard]:
    """The permissions of a view that states none, where all that it builds on is known."""
    lines = lines_of(facts, path)[max(handler.line - _HEAD_MAX, 0) : handler.line]
    if not holder:
        is_bare = "api_view" in handler.marks and "permission_classes" not in handler.marks
        return _usual(facts) if is_bare else ()
    is_stated = "action" in handler.marks and "permission_classes" in "\n".join(lines)
    bases = set[str]()
    for place in types(facts).around((path, holder)):
        is_stated |= any(in_body(facts, *place, _OWN))
        is_stated |= symbol_of(facts, place[0], f"{place[1]}.get_permissions") is not None
        bases.update(_packages(facts, *place))
    return _usual(facts) if bases == {_FRAMEWORK} and not is_stated else ()


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
    for path, code in facts.code.items():
        is_source = path.endswith(".py") and facts.records[path].file_class == "source"
        for symbol in code.symbols if is_source else ():
            if symbol.qualified == _SETTINGS:
                text = "\n".join(lines_of(facts, path)[symbol.line - 1 : symbol.end])
                if "DEFAULT_PERMISSION_CLASSES" in text:
                    match = _USUAL.search(text)
                    listed.add(tuple(_TEXT.findall(match[1])) if match else ())
    names = listed.pop() if len(listed) == 1 else ()
    return tuple(Guard(it.rpartition(".")[2], declared(facts, "", it)) for it in names)


def _with_flags(facts: Facts, guard: Guard, path: str, holder: str) -> str:
    """The name of a permission with what its check reads of the view: `Members(is_open=True)`."""
    names = _read_of_view(facts, guard.spot) if guard.spot and holder else ()
    flags = [f"{name}={value}" for name in names if (value := _flag(facts, path, holder, name))]
    return f"{guard.name}({', '.join(flags)})" if flags else guard.name


@query
def _read_of_view(facts: Facts, spot: Spot) -> tuple[str, ...]:
    """The attributes of a view that the nearest check of a permission reads."""
    for where, name in types(facts).around(spot) if spot.path.endswith(".py") else ():
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
