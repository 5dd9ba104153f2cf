"""What requests pass through around their handlers, and what these take of them:
`middleware.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import msgspec

from stationmaster.catalogue.table import Row, compiled, lazy_table


class Synonyms(Row, frozen=True):
    """Names that all mean the same."""

    names: frozenset[str]
    within: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """Packages that a file must import for a name to mean so."""


class Calls(Row, frozen=True):
    """What is called in files that import one of `packages`; of all files where there are none.
    `beside` is what else such a file has, which puts routes on the same object."""

    names: tuple[str, ...]
    packages: tuple[str, ...]
    beside: str = ""


class Provided(Row, frozen=True):
    """What puts a class around all handlers in files that import one of `packages`; the groups of
    `pattern` are what is provided, and the class."""

    packages: tuple[str, ...]
    pattern: str


class Asked(Row, frozen=True):
    """Something of a request that is read; the group of `pattern` is its name, unless it always has
    the same `name`."""

    kind: str
    pattern: str
    name: str = ""


class Guards(Row, frozen=True):
    """What decides whether a request reaches its handler."""

    words: tuple[str, ...]
    others: tuple[str, ...]
    unread: frozenset[str]
    loading: frozenset[str]
    signing: frozenset[str]
    answering: frozenset[str]
    refusing: str
    forbidden: str
    refusing_in_rails: str
    scoped_in_rails: str
    invalid: str
    credentials: str
    hooks: tuple[str, ...]
    forbidding: str
    unknown: str
    redirecting: str
    configured: str
    passing: frozenset[str]
    keys: str
    asked: tuple[Asked, ...]


class Annotated(Row, frozen=True):
    """How filters of Java, which extend or implement one of `types`, read the annotations of a
    handler: by one of `methods`. One that `refuses` may answer 401 or 403, one that `identifies`
    asks who sends a request."""

    types: frozenset[str]
    methods: str
    refuses: str
    identifies: str


class Rules(Row, frozen=True):
    """What a configuration in files that import one of `packages` states of requests, by paths: the
    groups of `pattern` are `requests` and the statement (`says`)."""

    packages: tuple[str, ...]
    pattern: str


class Bare(Row, frozen=True):
    """Expressions of parameters in the `head` of a handler that have no mark: of names of `values`
    and of `types` that a form is read into, unless a file has `supplied` or a class of the project
    is one of `resolvers`, which read types in their own way."""

    head: str
    values: str
    types: str
    supplied: str
    resolvers: frozenset[str]


class Taken(Row, frozen=True):
    """Expressions by what their group is: the name of a type that a request is read into
    (`types`), of a variable of such a type (`variables`), of a value that holds rules (`rules`), or
    of values of the request (`values`), which are those of a body unless they are `mixed`; `either`
    are of a body or a query in any case. Of a query alone are `queries` and the types that it is
    read into (`asked`); `passing` is what is called with the request. A call that `checks` a
    request holds the rules itself, as does a function whose name matches `helpers`. A type whose
    rules are in one method has them in `methods`; `checking` are methods that check one. Where a
    name alone does not show that a request is read into a type, one of `bases` is among those that
    it extends. `declared` is the type of a variable, whose name replaces `%s`; `stating` begins the
    statement that declares a type in the handler, or a variable of one that the product lacks.
    `answers` begins what describes answers, not requests.
    Frameworks that read parameters without a mark have them in `bare`."""

    types: tuple[str, ...] = ()
    bases: frozenset[str] = frozenset()
    variables: tuple[str, ...] = ()
    declared: tuple[str, ...] = ()
    stating: str = ""
    rules: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    mixed: bool = False
    either: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    helpers: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    checking: tuple[str, ...] = ()
    answers: str = ""
    bare: Mapping[str, Bare] = MappingProxyType({})


class Middleware(Row, frozen=True):
    """The whole table; `calls` and `taken` are by the ending of a file."""

    calls: dict[str, Calls]
    types: Synonyms
    provided: Provided
    marks: Synonyms
    lists: Synonyms
    guards: Guards
    annotated: Annotated
    rules: Rules
    taken: dict[str, Taken]


middleware = lazy_table("middleware", Middleware)
"""The table, decoded once."""


@cache
def is_guard(name: str, whole: str = "") -> bool:
    """Is something called as what lets only some requests pass? `whole` is the name with that of
    its package or object, which may tell that it is something else."""
    table = middleware().guards
    is_other = any(compiled(f"(?i){word}").search(whole or name) for word in table.others)
    return not is_other and any(compiled(f"(?i){word}").search(name) for word in table.words)
