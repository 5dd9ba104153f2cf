"""Commands of click, and of Flask, which are click's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import structs
from tree_sitter import Node

from stationmaster.reading.code.languages.module import Definition
from stationmaster.reading.code.languages.python.holding import Holders
from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.source import above
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import CliCommand, Option

_PACKAGES = frozenset({"click", "rich_click", "asyncclick", "cloup", "flask", "quart"})
_MAKERS = frozenset({"command", "group"})
_TAKEN = ("option", "argument")
_ADDING = "add_command"
_DEPTH_MAX = 10


class _Maker(NamedTuple):
    """What makes a command of a function: the decorator, and the group that it is put in."""

    definition: Definition
    decorator: Called
    group: Node | None
    is_group: bool

    @property
    def name(self) -> str:
        """What the command is called."""
        return self.decorator.value(0, "name") or self.definition.name.lower().replace("_", "-")


def read(module: Module) -> Iterator[CliCommand]:
    """The commands that functions are decorated with; none without an import of click or Flask, but
    what those of other files are put below."""
    is_there = bool(module.packages.intersection(_PACKAGES))
    if is_there or any(called.name == _ADDING for called in module.calls):
        yield from _Reader(module).read(is_there=is_there)


class _Reader:
    def __init__(self, module: Module) -> None:
        self._module = module
        self._holders = Holders(module)
        self._own = frozenset(it.name for it in module.definitions if it.decorators)
        self._made: dict[str, _Maker] = {}
        self._parents: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def read(self, *, is_there: bool) -> Iterator[CliCommand]:
        """The commands with what keeps them, then what adds options or commands to others; only
        the latter where the file does not import click."""
        module, holders = self._module, self._holders
        made = [(module.scopes.at(it.node.start_byte), it) for it in module.definitions]
        makers = {name: maker for name, it in made if (maker := self._maker(name, it))}
        self._made = {holders.keep(name): maker for name, maker in makers.items()}
        for name, maker in makers.items():
            if maker.group is not None:
                above = holders.meant(module.text(maker.group), name.rpartition(".")[0])
                self._parents[holders.keep(name)] = above
        for called in module.calls:
            if called.name == _ADDING and called.of is not None:
                self._add(called, called.of)
            elif is_there:
                holders.hand_on(called)
        run = _run(module)
        for holder in self._made:
            holders.tree.commands[holder] = self._command(holder, run)
        for holder, option in _held(module, self._made.values()):
            holders.tree.options[f"{holder}()"].append(option)
        yield from holders.facts()

    def _maker(self, name: str, definition: Definition) -> _Maker | None:
        for decorator in definition.decorators:
            origin = decorator.origin
            if origin.partition(".")[0] in _PACKAGES and origin.rpartition(".")[2] in _MAKERS:
                return _Maker(definition, decorator, None, origin.endswith("group"))
            if decorator.name in _MAKERS and self._is_group(decorator.of, name):
                return _Maker(definition, decorator, decorator.of, decorator.name == "group")
        return None

    def _is_group(self, holder: Node | None, name: str) -> bool:
        """A decorated function of this file, something imported or given to the function around, or
        a Flask application's `cli`."""
        module, text = self._module, self._module.text(holder)
        if text.endswith(".cli"):
            return bool(module.packages.intersection(("flask", "quart")))
        made = module.made(holder)
        if made is not None:
            return made.maker.partition(".")[0] in ("click", "rich_click", "flask")
        is_given = "typer" not in module.packages and self._holders.is_given(text, name)
        is_one = text in self._own or is_given or bool(module.origin(holder))
        return "click" in module.packages and is_one

    def _add(self, called: Called, of: Node) -> None:
        """Note what a call puts below a group: of a loop all that it goes through."""
        given, text = called.given, self._module.text
        outer = self._holders.meant(text(of), called.caller)
        name = self._module.value(given.get(1, "name"))
        for node in self._gone_through(given.get(0, "cmd")):
            child = self._holders.meant(text(node), called.caller)
            if child in self._made:
                self._parents.setdefault(child, outer)
                if name:
                    self._names[child] = name
            elif child:
                self._holders.tree.below[outer].append(f"{name}={child}" if name else child)

    def _gone_through(self, node: Node | None) -> list[Node]:
        """What a name stands for in a loop: `for it in (pay, refund): …`; else itself."""
        loop = above(node, "for_statement") if node is not None else None
        listed = loop.child_by_field_name("right") if loop is not None else None
        is_one = self._module.part(loop, "left") == self._module.text(node)
        if listed is not None and is_one and listed.type in ("list", "tuple"):
            return listed.named_children
        return [node] if node is not None else []

    def _command(self, holder: str, run: str) -> CliCommand:
        """A command below what the file tells of the groups around it."""
        module, maker = self._module, self._made[holder]
        words: list[str] = []
        above, own = holder, self._names.get(holder) or maker.name
        for _ in range(_DEPTH_MAX):
            outer = self._made.get(above)
            is_root = above not in self._parents and outer is not None
            if outer is None or (is_root and (outer.is_group or outer.definition.name == run)):
                break
            words.insert(0, self._names.get(above) or outer.name)
            above = self._parents.get(above, "")
        if above.endswith("()"):
            self._holders.tree.below[above].append(holder)
            above = ""
        text = module.value(maker.decorator.given.get("help", "short_help"))
        definition = maker.definition
        command = module.command(definition, words, text, _options(module, definition))
        others = (module.text(it.function) for it in definition.decorators if not _kind(it))
        return structs.replace(
            command,
            holder=holder,
            parent=above if above != holder else "",
            parts=tuple(filter(str.strip, others)),
            name="" if words else own,
        )


def _run(module: Module) -> str:
    """The function that the file calls when it is run."""
    for guard in module.nodes["guarded"]:
        for called in module.calls:
            if guard.start_byte <= called.node.start_byte < guard.end_byte and not called.of:
                return called.name
    return ""


def _held(module: Module, made: Iterable[_Maker]) -> Iterator[tuple[str, Option]]:
    """The options that a variable holds, or that a function adds to what it decorates."""
    of_commands = {decorator.node.id for it in made for decorator in it.definition.decorators}
    variables = {node.id: name for name, node in module.values_of.items()}
    for called in module.calls:
        if _kind(called) in _TAKEN and called.node.id not in of_commands:
            scope = module.functions.at(called.node.start_byte)
            if holder := variables.get(called.node.id, "") or scope.partition(".")[0]:
                yield from ((holder, option) for option in _option(module, called))


def _kind(called: Called) -> str:
    """What of click a call or a decorator is; '' for what is none of its."""
    package, _, name = called.origin.partition(".")
    return name.rpartition(".")[2] if package in _PACKAGES else ""


def _options(module: Module, each: Definition) -> Iterator[Option]:
    for decorator in each.decorators:
        if _kind(decorator) in _TAKEN:
            yield from _option(module, decorator)


def _option(module: Module, called: Called) -> Iterator[Option]:
    words = [name for node in called.given.at if (name := module.value(node))]
    names = [name for name in words if name.startswith("-")]
    if _kind(called) == "argument":
        names = [name.upper() for name in words[:1]]
    if names:
        option = module.option(called, names)
        yield structs.replace(option, default=switch(option, words[-1].lstrip("-")))


def switch(option: Option, name: str) -> str | None:
    """The default of an option as it is typed: of `--on/--off` one of both; of a switch that sets
    something that is called otherwise what it leaves there."""
    pair = next((each for each in option.names if "/" in each.strip("-/")), "")
    if option.default in ("True", "False") and pair:
        on, _, off = pair.partition("/")
        return on.strip() if option.default == "True" else off.strip()
    is_own = any(
        each.lstrip("-").replace("-", "_") == name.replace("-", "_") for each in option.names
    )
    return option.default if is_own or option.default != "True" else f"{name}={option.default}"
