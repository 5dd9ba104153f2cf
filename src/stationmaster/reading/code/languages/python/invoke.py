"""Commands of programs that Invoke makes of the tasks of a file."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.reading.code.languages.module import Definition
from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.source import child, inside, line_of, one_line
from stationmaster.reading.code.model import CliCommand, Option

_PROGRAMS = frozenset({"invoke.Program", "invoke.program.Program"})
_COLLECTIONS = frozenset({"invoke.Collection", "invoke.collection.Collection"})
_TASKS = frozenset({"invoke.task", "invoke.tasks.task"})


def read(module: Module) -> Iterator[CliCommand]:
    """The tasks of the collection that a program is made of: `Program(namespace=Collection(sell))`
    has the command `sell`."""
    tasks = {it.name: it for it in module.definitions if _mark(it) is not None}
    for called, origin in module.calls_of("invoke"):
        namespace = called.given.get("namespace") if origin in _PROGRAMS else None
        made = module.made(namespace)
        call = made.call if made is not None else namespace
        if module.origin(child(call, "function")) in _COLLECTIONS:
            given = module.given(call)
            for name, node in (*(("", it) for it in given.at), *given.named.items()):
                if task := tasks.get(module.text(node)):
                    yield _command(module, task, name)


def _mark(each: Definition) -> Node | None:
    """What makes a function a task."""
    marks = (it.node for it in each.decorators if it.origin in _TASKS)
    return next(marks, None) if not each.is_class else None


def _command(module: Module, task: Definition, name: str) -> CliCommand:
    given = module.given(_mark(task))
    own = name or module.value(given.get("name")) or task.name
    helps = {_typed(key): node for key, node in module.pairs(given.get("help")).items()}
    options = [*_options(module, task, helps)]
    return module.command(task, (_typed(own),), None, options)


def _options(module: Module, task: Definition, helps: dict[str, Node]) -> Iterator[Option]:
    """The parameters of a task but the first, which is its context."""
    for node in inside(task.node, "parameters")[1:]:
        name = module.text(child(node, "name") or (child(node) if node.named_children else node))
        own = module.plain(child(node, "value"))
        help_ = one_line(module.value(helps.get(_typed(name))) or "")
        if name.isidentifier():
            dashes = "--" if len(name) > 1 else "-"
            default = None if own == "None" else own
            yield Option((dashes + _typed(name),), line_of(node), help_, default)


def _typed(name: str) -> str:
    return name.strip("_").replace("_", "-")
