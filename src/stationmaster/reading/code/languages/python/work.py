"""Jobs, tests and entries of Python."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.catalogue import code
from stationmaster.catalogue.table import compiled
from stationmaster.reading.code.languages.module import Definition
from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.python.paths import asked
from stationmaster.reading.code.languages.source import Arguments, child, line_of
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import Entry, Job, JobKind, Test


def _rows(table: str) -> list[tuple[re.Pattern[str], JobKind, str]]:
    """Expressions of whole names, and the kind and framework of jobs that these make."""
    rows = code.table(table, tuple[tuple[str, JobKind, str], ...])
    return [(compiled(pattern), kind, framework) for pattern, kind, framework in rows]


_DECORATORS, _CALLS = _rows("python.jobs.decorators"), _rows("python.jobs.calls")
_PACKAGES = code.names("python.jobs.packages")
_KNOWN = tuple(f"{package}." for package in sorted(_PACKAGES))
_CELERY = re.compile(r"(?:^|[._])celery(?:_?(?:app|conf|config|configuration))?\.\w{1,60}$")
"""An object that a module gives whose name says that it is Celery's."""
_CRON = re.compile(r"(?:[\d*/,\-]{1,30} ){4}[\w*/,\-]{1,30}")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){0,3}")
_TIMES_MAX = 240
"""Letters of a schedule, which says nothing when it is cut."""
_WORK = ("func", "args", "kwargs")
"""What a schedule runs."""
_BEATS = ("beat_schedule", "CELERY_BEAT_SCHEDULE", "CELERYBEAT_SCHEDULE")
_APPS = code.names("python.entries.apps")
_SERVERS = code.names("python.entries.servers")
_SERVING = sorted({name.partition(".")[0] for name in _APPS | _SERVERS})
_FIXTURES = frozenset({"pytest.fixture", "pytest_asyncio.fixture"})
_CASES = ("TestCase", "TestBase", "Tests", "Test")
"""How names of bases end whose methods `test…` are tests."""


def jobs(module: Module) -> tuple[Job, ...]:
    """The tasks, schedules and consumers of a module, by line and name."""
    is_celery = any(_CELERY.search(origin) for origin in module.names.values())
    found = [*_beats(module), *_connected(module), *_by_others(module)]
    if is_celery or module.packages.intersection(_PACKAGES):
        found += (job for definition in module.definitions for job in _declared(module, definition))
        found += _running(module)
        for called, origin in module.calls_of(*sorted(_PACKAGES)):
            found += _called(module, called, origin)
    return tuple(sorted(found, key=lambda each: (each.line, each.name)))


def _declared(module: Module, each: Definition) -> Iterator[Job]:
    qualified, line = module.scopes.at(each.node.start_byte), line_of(each.node)
    if each.is_class:
        return
    for decorator in each.decorators:
        origin = _origin(module, decorator)
        for pattern, kind, framework in _DECORATORS:
            if pattern.fullmatch(origin):
                name = decorator.value("name") or qualified
                trigger = _trigger(module, decorator, kind, framework)
                yield Job(name, kind, line, trigger, qualified, framework)


def _by_others(module: Module) -> Iterator[Job]:
    """Functions that are tasks of what another file of the project makes, if that is Celery's."""
    for each in module.definitions:
        for decorator in each.decorators if not each.is_class else ():
            by = decorator.of
            is_named = decorator.name == "task" and by is not None and by.type == "identifier"
            origin = module.origin(by) if is_named else ""
            if "." in origin and not _CELERY.search(origin) and not origin.startswith(_KNOWN):
                qualified, line = module.scopes.at(each.node.start_byte), line_of(each.node)
                name = decorator.value("name") or qualified
                trigger = _trigger(module, decorator, "queue", "Celery")
                yield Job(name, "queue", line, trigger, qualified, "Celery", by=module.text(by))


def _running(module: Module) -> Iterator[Job]:
    """The classes of threads and processes; what one without a `run` of its own runs, those say
    that extend it."""
    lines = {module.scopes.at(it.node.start_byte): line_of(it.node) for it in module.definitions}
    for each in module.definitions:
        name = module.scopes.at(each.node.start_byte)
        origins = [module.origin(base) for base in module.bases(each)] if each.is_class else ()
        for pattern, kind, framework in _CALLS:
            if kind == "worker" and any(pattern.fullmatch(it) for it in origins):
                is_open = f"{name}.run" not in lines
                yield Job(name, kind, lines[name], "", f"{name}.run", framework, is_open)


def _origin(module: Module, decorator: Called) -> str:
    if decorator.of is None:
        return decorator.origin
    if decorator.name == "task" and _CELERY.search(module.origin(decorator.of)):
        return "celery.Celery.task"
    return module.reach(decorator.of, decorator.name)


def _trigger(module: Module, decorator: Called, kind: JobKind, framework: str) -> str:
    """A queue's name, a schedule or an event, as written."""
    if kind == "queue":
        return decorator.value(*((0, "queue") if framework == "RQ" else ("queue", "queue_name")))
    if kind == "schedule":
        return _times(module, decorator.given, 60)
    if decorator.name == "connect":
        return _sent(module, decorator)
    sender = module.line(decorator.given.get("sender"), 60)
    event = module.line(decorator.given.get(0), 60)
    return f"{event}, sender={sender}" if event and sender else event


def _times(module: Module, given: Arguments, length_max: int) -> str:
    """What a schedule is made of."""
    named = sorted(given.named.items())
    words = [module.line(each, length_max).strip("\"'") for each in given.at]
    return ", ".join([*words, *(f"{key}={module.line(each, 40)}" for key, each in named)])


def _called(module: Module, called: Called, origin: str) -> Iterator[Job]:
    given = called.given
    for pattern, kind, framework in _CALLS:
        if pattern.fullmatch(origin) and kind == "worker":
            yield from _worker(module, called, framework)
        elif pattern.fullmatch(origin):
            handler = module.line(given.get(0, "func", "coroutine"), 80).strip("\"'")
            named = {key: each for key, each in given.named.items() if key not in _WORK}
            trigger = _times(module, Arguments(given.at[1:], named), 40)
            yield Job(handler, kind, called.line, trigger, handler, framework)


def _worker(module: Module, called: Called, framework: str) -> Iterator[Job]:
    """What a thread or process runs, started by the function that makes it."""
    target = module.line(called.given.get("target"), 80)
    holder = called.caller.rpartition(".")[0]
    handler = f"{holder}.{target[5:]}" if target.startswith("self.") and holder else target
    if _DOTTED.fullmatch(handler):
        yield Job(handler, "worker", called.line, called.caller, handler, framework)


def _connected(module: Module) -> Iterator[Job]:
    """Handlers that are connected to signals of Django, and tasks that are put on a schedule."""
    declared = {definition.name for definition in module.definitions if not definition.is_class}
    for called in module.calls if module.packages & {"django", "celery"} else ():
        if called.name == "connect" and called.of is not None and "django" in module.packages:
            handler = module.line(called.given.get(0, "receiver"), 80)
            is_there = handler.partition(".")[0] in module.names or handler in declared
            trigger = _sent(module, called)
            # What a whole module connects, as one of databases, is no signal.
            is_signal = module.names.get(trigger) != trigger
            if is_there and is_signal and _DOTTED.fullmatch(handler):
                yield Job(
                    handler.rpartition(".")[2], "event", called.line, trigger, handler, "Django"
                )
        elif called.name == "add_periodic_task" and len(called.given.at) > 1:
            times, task = (module.line(node, _TIMES_MAX) for node in called.given.at[:2])
            times = times.replace("( ", "(").replace(", )", ")")
            times = ", ".join(filter(None, (times, asked(module, called.node))))
            handler = task.partition(".s(")[0]
            if handler.replace(".", "").isidentifier():
                name = called.value("name") or handler
                yield Job(name, "schedule", called.line, times, handler, "Celery")


def _sent(module: Module, called: Called) -> str:
    """The signal that a handler is connected to, and who must send it."""
    sender = module.line(called.given.get("sender"), 60)
    signal = module.line(called.of, 60)
    return f"{signal}, sender={sender}" if sender else signal


def _beats(module: Module) -> Iterator[Job]:
    """Entries of the schedule of Celery, and lists of tasks that one is made of."""
    for table in (
        module.nodes["tasked"] if "celery.schedules.crontab" in module.names.values() else ()
    ):
        row = module.pairs(table)
        task, name = module.value(row.get("task")), module.value(row.get("name"))
        texts = {key: module.value(value) or "" for key, value in row.items()}
        times = next((text for text in texts.values() if _CRON.fullmatch(text)), "")
        if task and "." in task and times:
            yield Job(name or task, "schedule", line_of(table), times, task, "Celery")
    for table in module.nodes["tabled"]:
        if not module.part(table, "left").endswith(_BEATS):
            continue
        for entry, value in module.pairs(child(table, "right")).items():
            inside = module.pairs(value)
            task = module.value(inside.get("task"))
            if task is not None:
                schedule = module.line(inside.get("schedule"), _TIMES_MAX)
                yield Job(entry, "schedule", line_of(value), schedule, task, "Celery")


def entries(module: Module) -> tuple[Entry, ...]:
    """The apps, servers and `__main__` guards of a module, by line and name."""
    found = [*_apps(module), *_servers(module)]
    found += [
        Entry("__main__", "main", line_of(guard))
        for guard in module.nodes["guarded"]
        if "__main__" in module.line(child(guard, "condition"), 40)
    ]
    return tuple(sorted(found, key=lambda each: (each.line, each.name)))


def _apps(module: Module) -> Iterator[Entry]:
    for constant in module.constants:
        call = constant.value
        is_call = call is not None and call.type == "call"
        function = child(call, "function") if call is not None and is_call else None
        if module.origin(function) in _APPS:
            yield Entry(constant.name, "app", line_of(constant.node), constant.name)


def _servers(module: Module) -> Iterator[Entry]:
    for called, origin in module.calls_of(*_SERVING):
        maker, _, name = origin.rpartition(".")
        if origin in _SERVERS:
            yield Entry(origin, "server", called.line, called.caller)
        elif name == "run" and maker in _APPS:
            yield Entry(f"{module.text(called.of)}.run", "server", called.line, called.caller)


def tests(module: Module) -> tuple[Test, ...]:
    """The tests of functions and of test classes, and fixtures, by qualified name."""
    names = {
        each.node.start_byte: module.scopes.at(each.node.start_byte) for each in module.definitions
    }
    cases = {names[each.node.start_byte] for each in module.definitions if _is_case(module, each)}
    found = []
    for each in module.definitions:
        qualified, line = names[each.node.start_byte], line_of(each.node)
        container = qualified.rpartition(".")[0]
        if each.is_class:
            continue
        if any(decorator.origin in _FIXTURES for decorator in each.decorators):
            found.append(Test(qualified, line, "fixture"))
        elif each.name.startswith("test") and (
            container in cases or (not container and each.name.startswith("test_"))
        ):
            found.append(Test(qualified, line))
    return tuple(found)


def _is_case(module: Module, each: Definition) -> bool:
    """Does pytest or unittest look for tests in a class?"""
    bases = (module.text(base).partition("[")[0] for base in module.bases(each))
    is_named = each.name.startswith("Test") or any(base.endswith(_CASES) for base in bases)
    return each.is_class and is_named
