"""Commands of click, and of Flask, which are click's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator

from msgspec import structs
from tree_sitter import Node

from stationmaster.reading.code.languages.module import Definition
from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import CliCommand, Option

_PACKAGES = frozenset({"click", "rich_click", "asyncclick", "flask", "quart"})
_MAKERS = frozenset({"command", "group"})
_TAKEN = ("option", "argument")
_DEPTH_MAX = 10


def read(module: Module) -> Iterator[CliCommand]:
    """The commands that functions are decorated with; none without an import of click or Flask."""
    if not module.packages.intersection(_PACKAGES):
        return
    own = frozenset(definition.name for definition in module.definitions if definition.decorators)
    made = {
        definition.name: told
        for definition in module.definitions
        if (told := _maker(module, definition, own))
    }
    parents = {name: module.text(receiver) for name, (_, receiver, _) in made.items() if receiver}
    added: dict[str, str] = {}
    for called in module.calls:
        if called.name == "add_command" and called.of is not None:
            given = called.given
            child = module.text(given.get(0, "cmd"))
            parents.setdefault(child, module.text(called.of))
            if name := module.value(given.get(1, "name")):
                added[child] = name
    run = _run(module)
    groups = {name for name, (_, _, is_group) in made.items() if is_group}
    for each in module.definitions:
        if each.name not in made:
            continue
        decorator = made[each.name][0]
        words: list[str] = []
        name = each.name
        for _ in range(_DEPTH_MAX):
            maker = made.get(name)
            is_root = name not in parents and (name in groups or name == run)
            if maker is None or is_root:
                break
            words.insert(
                0, added.get(name) or (maker[0].value(0, "name") or name.lower().replace("_", "-"))
            )
            name = parents.get(name, "")
        text = module.value(decorator.given.get("help", "short_help"))
        command = module.command(each, words, text, _options(module, each))
        others = (module.text(it.function) for it in each.decorators if not _kind(it))
        yield structs.replace(command, parts=tuple(filter(str.strip, others)))
    yield from _held(module, made)


def _maker(
    module: Module, each: Definition, own: frozenset[str]
) -> tuple[Called, Node | None, bool] | None:
    """The decorator that makes a command, the group that it is put in, and if it is a group."""
    for decorator in each.decorators:
        origin = decorator.origin
        if origin.partition(".")[0] in _PACKAGES and origin.rpartition(".")[2] in _MAKERS:
            return decorator, None, origin.endswith("group")
        if decorator.name in _MAKERS and _is_group(module, decorator.of, own):
            return decorator, decorator.of, decorator.name == "group"
    return None


def _is_group(module: Module, holder: Node | None, own: frozenset[str]) -> bool:
    """A decorated function of this file, something imported, or a Flask application's `cli`."""
    text = module.text(holder)
    if text.endswith(".cli"):
        return bool(module.packages.intersection(("flask", "quart")))
    made = module.made(holder)
    if made is not None:
        return made.maker.partition(".")[0] in ("click", "rich_click", "flask")
    return "click" in module.packages and (text in own or bool(module.origin(holder)))


def _run(module: Module) -> str:
    """The function that the file calls when it is run."""
    for guard in module.nodes["guarded"]:
        for called in module.calls:
            if guard.start_byte <= called.node.start_byte < guard.end_byte and not called.of:
                return called.name
    return ""


def _held(module: Module, made: Collection[str]) -> Iterator[CliCommand]:
    """The options that a variable holds, or that a function adds to what it decorates."""
    of_commands = {
        decorator.node.id
        for each in module.definitions
        for decorator in (each.decorators if each.name in made else ())
    }
    variables = {node.id: name for name, node in module.values_of.items()}
    options: dict[str, list[Option]] = defaultdict(list)
    for called in module.calls:
        if _kind(called) in _TAKEN and called.node.id not in of_commands:
            scope = module.functions.at(called.node.start_byte)
            holder = variables.get(called.node.id, "") or scope.partition(".")[0]
            options[holder] += _option(module, called)
    for holder, own in options.items():
        if holder and own:
            yield CliCommand((), own[0].line, options=tuple(own), holder=holder, is_part=True)


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
