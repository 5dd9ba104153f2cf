"""Work that Python code does later, on a schedule or for an event."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from stationmaster.reading.code.languages.source import line_of
from stationmaster.reading.code.model import Job, JobKind

if TYPE_CHECKING:
    from tree_sitter import Node

    from stationmaster.reading.code.languages.python.module import Called, Definition, Module

_DECORATORS: tuple[tuple[str, JobKind, str], ...] = (
    (r"celery\.shared_task|celery\.task|celery\.Celery\.(?:task|periodic_task)", "queue", "Celery"),
    (r"dramatiq\.actor", "queue", "Dramatiq"),
    (r"(?:rq\.decorators|django_rq|flask_rq2)\.job", "queue", "RQ"),
    (r"huey\.[\w.]*Huey\.task|huey\.contrib\.djhuey\.(?:db_)?task", "queue", "Huey"),
    (
        r"huey\.[\w.]*Huey\.periodic_task|huey\.contrib\.djhuey\.(?:db_)?periodic_task",
        "schedule",
        "Huey",
    ),
    (r"procrastinate\.App\.(?:task|periodic)", "queue", "Procrastinate"),
    (r"apscheduler\.schedulers\.\w+\.\w+\.scheduled_job", "schedule", "APScheduler"),
    (r"django\.dispatch\.receiver", "event", "Django"),
    (r"faust\.App\.(?:agent|timer|crontab)", "consumer", "Faust"),
)
_CALLS: tuple[tuple[str, JobKind, str], ...] = (
    (r"apscheduler\.schedulers\.\w+\.\w+\.add_job", "schedule", "APScheduler"),
    (r"arq\.cron|arq\.cron\.cron", "schedule", "arq"),
    (r"rq_scheduler\.Scheduler\.cron", "schedule", "RQ"),
)
_CONSUMERS = {
    "kafka.KafkaConsumer": "kafka-python",
    "aiokafka.AIOKafkaConsumer": "aiokafka",
}
_PACKAGES = frozenset(
    {
        "celery",
        "dramatiq",
        "rq",
        "django_rq",
        "flask_rq2",
        "huey",
        "procrastinate",
        "apscheduler",
        "django",
        "faust",
        "arq",
        "rq_scheduler",
        "kafka",
        "aiokafka",
    }
)
_CELERY = re.compile(r"(?:^|[._])celery(?:_?(?:app|conf|config))?\.\w{1,60}$")
"""An object that a module gives whose name says that it is Celery's."""
_BEATS = ("beat_schedule", "CELERY_BEAT_SCHEDULE", "CELERYBEAT_SCHEDULE")


def read(module: Module) -> tuple[Job, ...]:
    """The tasks, schedules, consumers and Django commands of a module, by line and name."""
    is_celery = any(_CELERY.search(origin) for origin in module.names.values())
    jobs: list[Job] = []
    if is_celery or module.packages.intersection(_PACKAGES):
        jobs += (job for definition in module.definitions for job in _declared(module, definition))
        for called, origin in module.calls_of(*sorted(_PACKAGES)):
            jobs += _called(module, called, origin)
    jobs += _beats(module)
    return tuple(sorted(jobs, key=lambda each: (each.line, each.name)))


def _declared(module: Module, each: Definition) -> Iterator[Job]:
    qualified = module.scopes.at(each.node.start_byte)
    if each.is_class:
        bases = [module.origin(base) for base in module.bases(each)]
        if any(base.startswith("django.core.management.base.") for base in bases):
            yield Job(each.name, "command", line_of(each.node), "", f"{qualified}.handle", "Django")
        return
    for decorator in each.decorators:
        function = decorator.child_by_field_name("function") or decorator
        origin = _origin(module, function)
        for pattern, kind, framework in _DECORATORS:
            if re.fullmatch(pattern, origin):
                given = module.arguments(decorator)
                name = module.value(given.get("name")) or qualified
                trigger = _trigger(module, decorator, kind, framework)
                yield Job(name, kind, line_of(each.node), trigger, qualified, framework)


def _origin(module: Module, function: Node) -> str:
    if function.type != "attribute":
        return module.origin(function)
    holder = function.child_by_field_name("object")
    name = module.text(function.child_by_field_name("attribute"))
    if name == "task" and _CELERY.search(module.origin(holder)):
        return "celery.Celery.task"
    return module.reach(holder, name)


def _trigger(module: Module, decorator: Node, kind: JobKind, framework: str) -> str:
    """A queue's name, a schedule or an event, as written."""
    given = module.arguments(decorator)
    if kind == "queue":
        named = given.get("queue", "queue_name")
        return module.value(named if framework != "RQ" else given.get(0, "queue")) or ""
    if kind == "schedule":
        return ", ".join(
            [module.source.line(each, 60).strip("\"'") for each in given.at]
            + [f"{key}={module.source.line(each, 40)}" for key, each in sorted(given.named.items())]
        )
    return module.source.line(given.get(0), 60)


def _called(module: Module, called: Called, origin: str) -> Iterator[Job]:
    given = module.arguments(called.node)
    if origin in _CONSUMERS and (topic := module.value(given.get(0))):
        caller = module.scopes.at(called.node.start_byte)
        yield Job(topic, "consumer", line_of(called.node), topic, caller, _CONSUMERS[origin])
    for pattern, kind, framework in _CALLS:
        if re.fullmatch(pattern, origin):
            handler = module.source.line(given.get(0, "func", "coroutine"), 80).strip("\"'")
            times = [module.source.line(each, 40).strip("\"'") for each in given.at[1:]] + [
                f"{key}={module.source.line(each, 40)}"
                for key, each in sorted(given.named.items())
                if key not in ("func", "args", "kwargs")
            ]
            yield Job(handler, kind, line_of(called.node), ", ".join(times), handler, framework)


def _beats(module: Module) -> Iterator[Job]:
    """Entries of the schedule of Celery."""
    for table in module.tables:
        name = module.text(table.child_by_field_name("left"))
        if not name.endswith(_BEATS):
            continue
        for entry, value in module.pairs(table.child_by_field_name("right")).items():
            inside = module.pairs(value)
            task = module.value(inside.get("task"))
            if task is None:
                continue
            schedule = module.source.line(inside.get("schedule"), 80)
            yield Job(entry, "schedule", line_of(value), schedule, task, "Celery")
