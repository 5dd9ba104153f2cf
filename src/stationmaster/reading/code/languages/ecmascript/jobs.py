"""Work that JavaScript does later, on a schedule or for a message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stationmaster.reading.code.languages.source import line_of
from stationmaster.reading.code.model import Job, JobKind

if TYPE_CHECKING:
    from tree_sitter import Node

    from stationmaster.reading.code.languages.ecmascript.module import Module
    from stationmaster.reading.code.languages.ecmascript.parsed import Called

_CALLS: dict[str, tuple[JobKind, str]] = {
    "bullmq:Worker": ("worker", "BullMQ"),
    "bullmq:Queue": ("queue", "BullMQ"),
    "bull": ("queue", "Bull"),
    "bee-queue": ("queue", "Bee-Queue"),
    "node-cron:schedule": ("schedule", "node-cron"),
    "cron:CronJob": ("schedule", "cron"),
    "node-schedule:scheduleJob": ("schedule", "node-schedule"),
    "croner:Cron": ("schedule", "Croner"),
    "croner": ("schedule", "Croner"),
    "agenda:Agenda>define": ("worker", "Agenda"),
    "agenda>define": ("worker", "Agenda"),
    "agenda:Agenda>every": ("schedule", "Agenda"),
    "agenda>every": ("schedule", "Agenda"),
    "pg-boss>work": ("worker", "pg-boss"),
    "pg-boss>schedule": ("schedule", "pg-boss"),
}
"""Calls whose first argument names a queue, a schedule or a job."""
_DECORATORS: dict[str, tuple[JobKind, str]] = {
    "@nestjs/schedule:Cron": ("schedule", "NestJS"),
    "@nestjs/schedule:Interval": ("schedule", "NestJS"),
    "@nestjs/schedule:Timeout": ("schedule", "NestJS"),
    "@nestjs/bull:Processor": ("worker", "NestJS"),
    "@nestjs/bullmq:Processor": ("worker", "NestJS"),
    "@nestjs/microservices:MessagePattern": ("consumer", "NestJS"),
    "@nestjs/microservices:EventPattern": ("consumer", "NestJS"),
    "@nestjs/event-emitter:OnEvent": ("event", "NestJS"),
}
_MODULES = sorted({name.partition(">")[0].partition(":")[0] for name in _CALLS})
_NAMES = frozenset({"identifier", "member_expression"})


def read(module: Module) -> tuple[Job, ...]:
    """The scheduled jobs, queues, workers and consumers of a module, by line and name."""
    jobs = [job for each in module.calls_of(*_MODULES) for job in _called(module, *each)]
    if any(name.partition(":")[0] in module.packages for name in _DECORATORS):
        jobs += _decorated(module)
    return tuple(sorted(jobs, key=lambda each: (each.line, each.name)))


def _called(module: Module, called: Called, origin: str) -> Iterator[Job]:
    if origin not in _CALLS:
        return
    kind, framework = _CALLS[origin]
    given = module.arguments(called.node)
    first = module.value(given.get(0))
    if first is None:
        return
    handler = next((module.text(node) for node in given.at[1:] if node.type in _NAMES), "")
    if kind == "schedule" and framework not in ("Agenda", "pg-boss"):
        name, trigger = handler or module.owner(called.node) or first, first
    elif kind == "schedule":
        name, trigger = (module.value(given.get(1)) or first, first)
    else:
        name, trigger = first, first
    yield Job(name, kind, line_of(called.node), trigger, handler, framework)


def _decorated(module: Module) -> Iterator[Job]:
    for definition in module.definitions:
        for decorator in definition.decorators:
            function = decorator.child_by_field_name("function") or decorator
            known = _DECORATORS.get(module.origin(function))
            if known is not None:
                qualified = _qualified(module, definition.node)
                first = module.arguments(decorator).get(0)
                trigger = module.value(first) or module.source.line(first, 80)
                yield Job(
                    qualified, known[0], line_of(definition.node), trigger, qualified, known[1]
                )


def _qualified(module: Module, node: Node) -> str:
    return module.scopes.at(node.end_byte - 1)
