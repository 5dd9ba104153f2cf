"""Commands of Typer, whose options are the parameters of functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import structs
from tree_sitter import Node

from stationmaster.reading.code.languages.module import Definition
from stationmaster.reading.code.languages.python.click import switch
from stationmaster.reading.code.languages.python.holding import Holders
from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.source import child, inside, line_of, one_line
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import CliCommand, Option

_DEPTH_MAX = 10
_ADDING = "add_typer"
_TYPED = frozenset(
    {"typed_parameter", "typed_default_parameter", "default_parameter", "identifier"}
)


class _Marked(NamedTuple):
    """A function that is a command of an application, or what that does without one."""

    definition: Definition
    decorator: Called
    app: str

    @property
    def is_callback(self) -> bool:
        """Does it run before every command of the application?"""
        return self.decorator.name == "callback"


def read(module: Module) -> Iterator[CliCommand]:
    """The commands and callbacks of Typer applications, and functions that `typer.run` starts."""
    is_there = "typer" in module.packages
    if is_there or any(called.name == _ADDING for called in module.calls):
        yield from _Reader(module).read(is_there=is_there)
    for called, origin in module.calls_of("typer"):
        if origin == "typer.run":
            name = module.text(called.given.get(0))
            for each in module.definitions:
                if each.name == name:
                    yield module.command(each, (), None, _options(module, each))


class _Reader:
    def __init__(self, module: Module) -> None:
        self._module = module
        self._holders = Holders(module)
        self._apps = dict(self._made())
        self._above: dict[str, tuple[str, str]] = {}
        """The application that one of the file is put on, and what that calls it."""

    def read(self, *, is_there: bool) -> Iterator[CliCommand]:
        """The commands with the applications that keep them; only what those of other files are
        put on, where the file does not import Typer."""
        module, holders, marked = self._module, self._holders, list[_Marked]()
        for called in module.calls:
            if called.name == _ADDING and called.of is not None:
                self._add(called, called.of)
            elif is_there:
                holders.hand_on(called)
        for definition, decorator in module.decorated() if is_there else ():
            if decorator.name in ("command", "callback") and decorator.of is not None:
                scope = module.scopes.at(definition.node.start_byte)
                if self._is_app(decorator.of, scope):
                    app = holders.meant(module.text(decorator.of), scope.rpartition(".")[0])
                    marked.append(_Marked(definition, decorator, app))
        counts = Counter(it.app for it in marked)
        for number, it in enumerate(marked):
            is_alone = counts[it.app] == 1 and self._is_alone(it.app)
            command = self._command(it, is_alone=is_alone)
            is_app = command.holder == it.app
            holders.tree.commands[it.app if is_app else f"@{number}"] = command
        with_callback = {it.app for it in marked if it.is_callback and it.app not in self._above}
        for app, name in self._apps.items():
            if app not in self._above and app not in with_callback:
                part = CliCommand((), 0, holder=app, parent=app, is_part=True, name=name)
                holders.tree.commands[app] = part
        yield from holders.facts()

    def _made(self) -> Iterator[tuple[str, str]]:
        """The applications that the file makes, by what keeps them, with their own names."""
        for variable, maker, call in self._module.held():
            if maker == "typer.Typer" and call is not None:
                scope, name = self._holders.scope(variable), self._module.text(variable)
                own = self._module.value(
                    self._module.arguments(child(call, "arguments")).get("name")
                )
                yield self._holders.keep(f"{scope}.{name}" if scope else name), own or ""

    def _add(self, called: Called, of: Node) -> None:
        """Note that an application is put on another one."""
        given, text = called.given, self._module.text
        child = self._holders.meant(text(given.get(0)), called.caller)
        above = self._holders.meant(text(of), called.caller)
        name = self._module.value(given.get("name")) or ""
        if child in self._apps and not above.endswith("()"):
            self._above[child] = above, name or self._apps[child]
        elif child:
            self._holders.tree.below[above].append(f"{name}={child}" if name else child)

    def _is_app(self, holder: Node, scope: str) -> bool:
        made = self._module.made(holder)
        if made is not None:
            return made.maker == "typer.Typer"
        is_given = self._holders.is_given(self._module.text(holder), scope)
        return is_given or bool(self._module.origin(holder))

    def _is_alone(self, app: str) -> bool:
        """Is the only command of an application what that does, as far as the file tells?"""
        holds = self._holders.tree.below[app] or app in {above for above, _ in self._above.values()}
        return app in self._apps and app not in self._above and not holds

    def _command(self, marked: _Marked, *, is_alone: bool) -> CliCommand:
        module, holders, definition = self._module, self._holders, marked.definition
        given, app = marked.decorator.given, marked.app
        own = module.value(given.get(0, "name")) or definition.name.strip("_").replace("_", "-")
        words = () if marked.is_callback or is_alone else (own,)
        for _ in range(_DEPTH_MAX):
            if app not in self._above:
                break
            app, name = self._above[app]
            words = (name, *words) if name else words
        text = module.value(given.get("help"))
        command = module.command(definition, words, text, _options(module, definition))
        holder = module.scopes.at(definition.node.start_byte)
        if marked.is_callback and app == marked.app:
            return structs.replace(command, holder=app, name=self._apps.get(app, ""))
        if app.endswith("()"):
            holders.tree.below[app].append(holder)
            return structs.replace(command, holder=holder)
        return structs.replace(command, holder=holder, parent=app, name="" if words else own)


def _options(module: Module, each: Definition) -> Iterator[Option]:
    for node in inside(each.node, "parameters"):
        if node.type not in _TYPED:
            continue
        named = child(node, "name") or child(node)
        name = module.text(named if node.type != "identifier" else node)
        kind, default = child(node, "type"), child(node, "value")
        if module.text(kind).endswith("Context") or name in ("self", "cls"):
            continue
        declared = _declared(module, kind, default)
        maker = module.origin(child(declared, "function")) if declared is not None else ""
        given = module.given(declared)
        inline = default if default is not None and declared is not default else None
        if declared is default and given.at:
            inline = given.at[0]
        is_option = maker == "typer.Option" or (not maker and default is not None)
        texts = [text for at in given.at if (text := module.value(at)) and text.startswith("-")]
        names = tuple(texts) or ((f"--{name.replace('_', '-')}",) if is_option else (name.upper(),))
        help_ = one_line(module.value(given.get("help")) or "")
        option = Option(names, line_of(node), help_, module.plain(inline))
        yield structs.replace(option, default=switch(option, name))


def _declared(module: Module, kind: Node | None, default: Node | None) -> Node | None:
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
