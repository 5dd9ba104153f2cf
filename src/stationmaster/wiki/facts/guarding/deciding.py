"""Who may send a request to a route: everything that decides on it, asked in one order.

What stands around a route is asked first: the application, then the routers above it. Then come the
guards that the route itself names, and those of its handler. Of these all are left out that let the
route pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stationmaster.reading.code.model import Route, Symbol
from stationmaster.wiki.facts.guarding import (
    actions,
    annotated,
    by_name,
    django,
    filters,
    handlers,
    passing,
    skipping,
)
from stationmaster.wiki.facts.guarding.guards import Guard, named
from stationmaster.wiki.facts.guarding.refusing import refusing
from stationmaster.wiki.facts.guarding.rules import is_opened
from stationmaster.wiki.facts.guarding.wrapped import weighed
from stationmaster.wiki.facts.interfaces import laravel, symfony
from stationmaster.wiki.facts.model import Facts


class Decision(NamedTuple):
    """`guards` decide on a request; what `is_public` is let pass in spite of some of those before
    it; `passed` are those that let all requests pass."""

    guards: tuple[Guard, ...]
    is_public: bool
    passed: tuple[str, ...]


class Handled(NamedTuple):
    """A route of the file `path` whose whole path is `whole`, with its handler: a symbol of the
    file `where`, if the repository declares it."""

    path: str
    route: Route
    whole: str
    where: str = ""
    handler: Symbol | None = None


def passed_through(facts: Facts, path: str, names: Sequence[str], line: int) -> tuple[Guard, ...]:
    """The guards among what requests pass through, as a file names it."""
    return (
        laravel.guards(facts, names) if path.endswith(".php") else named(facts, path, names, line)
    )


def decided(facts: Facts, it: Handled, above: Sequence[Guard]) -> Decision:
    """What decides on requests to a route below others, whose guards are `above`."""
    route, handler = it.route, it.handler
    if it.path.endswith(".php"):
        above = laravel.kept(facts, above, route.further)
    if (stated := by_name.decided(facts, it.path, route)) is not None:
        own, is_open = stated
        return Decision(() if is_open else (*above, *own), is_open, ())
    every = (*above, *_own(facts, it))
    asking = [
        guard
        for guard in every
        if not passing.lets_pass(facts, guard, it.whole, route.handler)
        and not skipping.lets_pass(facts, guard, it.whole)
    ]
    asking, opened = weighed(facts, asking)
    guards, is_public = passing.asked(facts, tuple(dict.fromkeys(asking)))
    is_anonymous = passing.is_anonymous(facts, it.where, handler, guards)
    if is_anonymous and route.framework != "Spring":  # Which may ask for more by the path.
        marks = handler.marks if handler else ()
        opened += [guard.name for guard in guards if guard.name.partition("(")[0] in marks]
        guards, is_public = (), True
    is_public = is_public or (
        not guards
        and handler is not None
        and (is_opened(facts, handler.marks) or annotated.is_opened(facts, handler.marks))
    )
    passed = tuple(dict.fromkeys((*opened, *route.passed)))
    return Decision(guards, is_public, passed)


def _own(facts: Facts, it: Handled) -> Iterator[Guard]:
    """The guards that a route names, and those that its handler has."""
    route = it.route
    own = [*named(facts, it.path, [route.guard], route.line)]
    further = named if route.framework == symfony.FRAMEWORK else passed_through
    own += further(facts, it.path, route.further, route.line)
    yield from own
    if it.handler is not None and it.where.endswith(".php"):
        known = laravel.acting(facts, it.where, it.handler)
        yield from known
        yield from refusing(facts, it.where, it.handler, known)
    elif it.handler is None and route.handler and it.path.endswith(".php"):
        yield from laravel.inherited(facts, it.path, route.handler, route.line)
    elif it.handler is not None and it.where.endswith(".rb"):
        holder = it.handler.qualified if it.handler.kind == "class" else it.handler.container
        action = route.handler.rpartition(".")[2]
        yield from filters.asking(facts, it.where, holder, action, it.whole)
        yield from actions.asking(facts, it.where, holder, action)
    elif it.path.endswith(".py"):
        yield from django.asking(facts, it.path, route, it.where, it.handler)
    elif it.handler is not None and it.where.endswith(".java"):
        yield from annotated.asking(facts, it.path, route, it.handler)
    elif it.handler is not None and not (own and it.where.endswith(".cs")):
        # In .NET the mark of an action is read with its route.
        yield from handlers.asking(facts, it.where, it.handler)
