"""Commands of Typer, whose options are the parameters of functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec import structs
from tree_sitter import Node

from stationmaster.reading.code.languages.module import Definition
from stationmaster.reading.code.languages.python.click import switch
from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.source import child, inside, line_of, one_line
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import CliCommand, Option

_TYPED = frozenset(
    {"typed_parameter", "typed_default_parameter", "default_parameter", "identifier"}
)


def read(module: Module) -> Iterator[CliCommand]:
    """The commands and callbacks of Typer applications, and functions that `typer.run` starts."""
    if "typer" not in module.packages:
        return
    found: list[tuple[Definition, Called, str, bool]] = []
    for each, decorator in module.decorated():
        name, holder = decorator.name, decorator.of
        if name in ("command", "callback") and _is_app(module, holder):
            found.append((each, decorator, module.text(holder), name == "callback"))
    prefixes = dict(_added(module))
    counts = Counter(app for _, _, app, _ in found)
    for each, decorator, app, is_callback in found:
        given = decorator.given
        name = module.value(given.get(0, "name")) or each.name.strip("_").replace("_", "-")
        is_alone = counts[app] == 1 and app not in prefixes and not _is_taken(module, app)
        words = prefixes.get(app, ())
        if not is_callback and not is_alone:
            words = (*words, name)
        text = module.value(given.get("help"))
        yield module.command(each, words, text, _options(module, each))
    for called, origin in module.calls_of("typer"):
        if origin == "typer.run":
            name = module.text(called.given.get(0))
            for each in module.definitions:
                if each.name == name:
                    yield module.command(each, (), None, _options(module, each))


def _is_app(module: Module, holder: Node | None) -> bool:
    made = module.made(holder)
    if made is not None:
        return made.maker == "typer.Typer"
    return bool(module.origin(holder))


def _is_taken(module: Module, app: str) -> bool:
    """Does it hold other applications, or come from another file?"""
    holders = (module.text(call.of) for call in module.calls if call.name == "add_typer")
    return app in holders or app in module.names


def _added(module: Module) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Applications within others, and the words that lead to them."""
    known: dict[str, tuple[str, ...]] = {}
    for called in module.calls:
        if called.name == "add_typer" and called.of is not None:
            given = called.given
            child = module.text(given.get(0))
            name = module.value(given.get("name"))
            known[child] = (*known.get(module.text(called.of), ()), *([name] if name else ()))
    yield from known.items()


def _options(module: Module, each: Definition) -> Iterator[Option]:
    for node in inside(each.node, "parameters"):
        if node.type not in _TYPED:
            continue
        named = child(node, "name") or child(node)
        name = module.text(named if node.type != "identifier" else node)
        kind, default = child(node, "type"), child(node, "value")
        if module.text(kind).endswith("Context") or name in ("self", "cls"):
            continue
        told = _told(module, kind, default)
        maker = module.origin(child(told, "function")) if told is not None else ""
        given = module.given(told)
        inline = default if default is not None and told is not default else None
        if told is default and given.at:
            inline = given.at[0]
        is_option = maker == "typer.Option" or (not maker and default is not None)
        texts = [text for at in given.at if (text := module.value(at)) and text.startswith("-")]
        names = tuple(texts) or ((f"--{name.replace('_', '-')}",) if is_option else (name.upper(),))
        help_ = one_line(module.value(given.get("help")) or "")
        option = Option(names, line_of(node), help_, module.plain(inline))
        yield structs.replace(option, default=switch(option, name))


def _told(module: Module, kind: Node | None, default: Node | None) -> Node | None:
    """The `typer.Option(…)` or `typer.Argument(…)` of a parameter, as a default or annotated."""
    waiting = [default] if default is not None else []
    held = child(kind)
    if held is not None and held.type in ("generic_type", "subscript"):
        parts = module.arguments(held.named_children[-1])
        waiting += [*parts.at, *held.named_children]
        waiting += [value for part in parts.at for value in part.named_children]
    for node in waiting:
        if node.type == "call":
            origin = module.origin(child(node, "function"))
            if origin in ("typer.Option", "typer.Argument"):
                return node
    return None
