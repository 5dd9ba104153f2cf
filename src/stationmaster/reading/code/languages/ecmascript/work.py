"""Jobs, tests and entries of JavaScript."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.ecmascript.module import Module
from stationmaster.reading.code.languages.source import above, child, line_of, one_line
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import Entry, EntryKind, Job, JobKind, Test

_Jobs = dict[str, tuple[JobKind, str]]
_CALLS = code.table("ecmascript.jobs.calls", _Jobs)
_DECORATORS = code.table("ecmascript.jobs.decorators", _Jobs)
_DELAYS = code.table("ecmascript.jobs.delays", dict[str, str])
_ENTRIES = code.table("ecmascript.entries.calls", dict[str, EntryKind])
_JOBS_OF = sorted({re.split("[:>]", name)[0] for name in _CALLS})
_ENTRIES_OF = sorted({re.split("[:>]", name)[0] for name in _ENTRIES})
_OF_NODE = (b"process.", b"node:")
"""What a program has that runs outside browsers."""
_AROUND_CALLS = frozenset({"await_expression", "member_expression", "call_expression"})
_GLOBAL = {"Bun": "serve", "Deno": "serve"}
_APPS = frozenset({"hono:Hono", "elysia:Elysia"})
_RUNNERS = code.names("ecmascript.tests.runners")
_GROUPS = frozenset({"describe", "suite", "context"})
_CASES = frozenset({"it", "test", "specify"})
_MODIFIERS = code.names("ecmascript.tests.modifiers")
_NAMES = frozenset({"identifier", "member_expression"})
_FUNCTIONS = frozenset({"arrow_function", "function_expression"})
_RUNNING = _FUNCTIONS | _NAMES | {"method_definition"}
_TYPED = frozenset({"as_expression", "satisfies_expression"})


def jobs(module: Module) -> tuple[Job, ...]:
    """The scheduled jobs, queues, workers and consumers of a module, by line and name."""
    found = [job for each in module.calls_of(*_JOBS_OF) for job in _called(module, *each)]
    found += _defined(module)
    for definition, decorator in module.decorated():
        if row := _DECORATORS.get(decorator.origin):
            qualified = module.scopes.at(definition.node.end_byte - 1)
            delay, given = _DELAYS.get(decorator.origin, ""), decorator.given
            node = given.at[-1] if delay and given.at else given.get(0)
            trigger = module.value(node) or module.line(node, 80)
            trigger = delay.format(trigger) if delay else trigger
            line = line_of(definition.node)
            found.append(Job(qualified, row[0], line, trigger, qualified, row[1]))
    return tuple(sorted(found, key=lambda each: (each.line, each.name)))


def _defined(module: Module) -> Iterator[Job]:
    """Jobs that objects define for a client of the project's own, in variables, calls and lists:
    `{ id: "tidy", trigger: { cron: "0 3 * * *" }, handler: async () => {} }`."""
    waiting = [*module.values_of.values()]
    waiting += [node for called in module.calls for node in called.given.at]
    for node in waiting if b"trigger" in module.data and b"handler" in module.data else ():
        while node.type in _TYPED:
            node = node.named_children[0]
        for item in node.named_children if node.type == "array" else [node]:
            members = module.members(item)
            trigger, handler = module.members(members.get("trigger")), members.get("handler")
            name = module.value(members.get("id")) or module.value(members.get("name"))
            cron = module.value(trigger.get("cron"))
            started_by = cron or module.value(trigger.get("name"))
            if name and started_by and handler is not None and handler.type in _RUNNING:
                runs = module.text(handler) if handler.type in _NAMES else ""
                yield Job(name, "schedule" if cron else "queue", line_of(item), started_by, runs)


def _called(module: Module, called: Called, origin: str) -> Iterator[Job]:
    first = module.value(called.given.get(0)) if origin in _CALLS else None
    if first is None:
        return
    kind, framework = _CALLS[origin]
    handler = next((module.text(node) for node in called.given.at[1:] if node.type in _NAMES), "")
    name = first
    if kind == "schedule":
        name = handler or module.owner(called.node) or first
    yield Job(name, kind, called.line, first, handler, framework)


def entries(module: Module) -> tuple[Entry, ...]:
    """The servers and apps of a module, and the `#!` of a script; by line and name."""
    found = [*_started(module), *_exported(module)]
    if not found:
        found += _run(module)
    if module.data.startswith(b"#!"):
        found.append(Entry("#!", "script", 1))
    return tuple(sorted(found, key=lambda each: (each.line, each.name)))


def _started(module: Module) -> Iterator[Entry]:
    for called, origin in module.calls_of(*_ENTRIES_OF):
        if kind := _ENTRIES.get(origin):
            name = origin.replace(">", ".").replace(":", ".")
            yield Entry(name, kind, called.line, called.caller)
    for called in module.calls:
        if called.of is not None and _GLOBAL.get(module.line(called.of, 10)) == called.name:
            name = f"{module.text(called.of)}.{called.name}"
            yield Entry(name, "server", called.line, called.caller)


def _run(module: Module) -> list[Entry]:
    """The function that a file which exports nothing calls last, at its top level: `main();`."""
    if module.exports.names or not any(sign in module.data for sign in _OF_NODE):
        return []
    own = {each.name for each in module.definitions if each.kind == "function"}
    called = [
        each
        for each in module.calls
        if each.of is None and each.name in own and _is_statement(each.node)
    ]
    last = max(called, key=lambda each: each.line, default=None)
    return [Entry(last.name, "main", last.line, last.name)] if last else []


def _is_statement(node: Node) -> bool:
    """Does a call stand by itself at top level, such as `await main().catch(fail);`?"""
    statement = above(node, *_AROUND_CALLS, past=True)
    if statement is None or statement.type != "expression_statement" or statement.parent is None:
        return False
    return statement.parent.type == "program"


def _exported(module: Module) -> Iterator[Entry]:
    """`export default app` of what serves by itself."""
    for name, made in module.made_by(*sorted(_APPS)):
        if "default" in module.exports.names and name in module.exports.local and made.call:
            yield Entry(name, "app", line_of(made.call), name)


def tests(module: Module) -> tuple[Test, ...]:
    """The tests by place, named after the innermost four groups around them."""
    own = {definition.name for definition in module.definitions}
    found: list[Test] = []
    around: list[tuple[int, str]] = []
    for called in sorted(module.calls, key=lambda each: each.node.start_byte):
        word = _word(module, called)
        if word in own or word not in _GROUPS | _CASES or not _is_runner(module, word):
            continue
        given = called.given.at
        name = module.literal(given[0]) if given else None
        if name is None or not any(each.type in _FUNCTIONS for each in given[1:4]):
            continue
        while around and around[-1][0] <= called.node.start_byte:
            around.pop()
        if word in _GROUPS or called.name == "describe":
            around.append((called.node.end_byte, name))
        else:
            title = one_line(" > ".join([each for _, each in around[-4:]] + [name]))
            found.append(Test(title, called.line))
    return tuple(found)


def _word(module: Module, called: Called) -> str:
    """The function that is called: `it` of `it.only`, of `it.each(…)` and of `it`."""
    if called.of is None:
        return called.name
    if called.name not in _MODIFIERS:
        return ""
    root: Node | None = called.of
    for _ in range(3):
        if root is None or root.type != "member_expression":
            break
        root = child(root, "object")
    return module.text(root) if root is not None and root.type == "identifier" else ""


def _is_runner(module: Module, word: str) -> bool:
    """It is imported from a runner, or as a global from nowhere."""
    origin = module.names.get(word)
    if origin is None or origin in _RUNNERS or origin.partition(":")[0] in _RUNNERS:
        return True
    return origin.startswith(("node:test", "bun:test", ".", "@/"))
