"""The facts of one source file. Lines count from 1; `end` is the last line.

Facts do not depend on the file's path: the same bytes in the same language have the same facts, so
they can be stored by content. Texts have one line, and are cut.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from stationmaster.reading.code import Wrapper
from stationmaster.reading.code.stored import Entity

Status = Literal[
    "ok", "errors", "timeout", "failed", "nested", "long-lines", "too-large", "generated",
    "minified", "bundled", "binary", "foreign",
]  # fmt: skip
"""`errors`: the parser skipped parts; the rest is here. With the others there are no facts but this
reason; the last five are for files that are not source."""
SymbolKind = Literal[
    "class", "interface", "struct", "enum", "trait", "protocol", "object", "type", "module",
    "function", "method", "constructor", "property", "constant", "variable", "macro",
]  # fmt: skip
ImportKind = Literal[
    "module", "type", "lazy", "dynamic", "reexport", "include", "reference", "test"
]
"""The kind of an import: `type` is erased at run time, `lazy` runs inside a function, `dynamic`
names its module by a literal text, `reexport` exports what it imports, `test` exists only in tests.
A `reference` is not an import statement: it names a type or constant that the language resolves
itself. One that is not resolved is ignored."""
SettingKind = Literal["env", "flag", "key", "feature"]
JobKind = Literal["schedule", "queue", "consumer", "worker", "event"]
EntryKind = Literal["main", "server", "app", "script"]

TEXT_MAX, DOC_MAX, HELP_MAX = 200, 300, 600


class Symbol(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A declaration. `container` is the dotted name of what contains it, `doc` the first sentence
    of its comment, `bases` what it extends or implements as written, `marks` its decorators,
    annotations or attributes without arguments. `takes` are the types of its parameters, such as
    `(Class, int)`, where a language has overloads; `is_overloaded` where others have its name."""

    name: str
    kind: SymbolKind
    line: int
    end: int
    container: str = ""
    is_public: bool = True
    signature: str = ""
    doc: str = ""
    bases: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    takes: str = ""
    is_overloaded: bool = False

    @property
    def qualified(self) -> str:
        """The dotted name of the container and the symbol; an overloaded one with `takes`."""
        own = f"{self.name}{self.takes}" if self.is_overloaded else self.name
        return f"{self.container}.{own}" if self.container else own


class Import(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An import of the module `name` as the language writes it (`a.b`, `./x`, `crate::m`, `<x.h>`);
    `level` is the number of Python's leading dots. `names` are imported from it (`*` for all),
    `bound` are their local names in the same order; `bound[0]` is that of the module where `names`
    is empty. `used` are its members that a file of Go names."""

    name: str
    line: int
    kind: ImportKind = "module"
    names: tuple[str, ...] = ()
    bound: tuple[str, ...] = ()
    level: int = 0
    used: tuple[str, ...] = ()


class Call(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A call of `name` on the receiver `of` as written (`self`, `service`; '' for a plain call).
    `caller` is the qualified name of the symbol around it, '' at top level. `given` are the types
    of its arguments where they are literals, '' for others; None for languages without
    overloads."""

    name: str
    line: int
    of: str = ""
    caller: str = ""
    given: tuple[str, ...] | None = None


class Typed(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The `type` of `name` in `holder`, a dotted name as written: of a field of a class, or of a
    variable or parameter of a function ('' as holder: of the file). The name '' is the function's
    result. `make()` as type is the result of `make`, `self.tin` the type of that field, `A|B`
    either."""

    name: str
    type: str
    holder: str = ""


class Given(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A dotted name that is an argument or another value on its own, with its line."""

    name: str
    line: int

    @property
    def head(self) -> str:
        """The first part of the name."""
        return self.name.partition(".")[0]


class Route(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An HTTP route as this file declares it. `method` is upper case, `ANY` for all; `path` as
    written. `owner` is the router that it is registered on, as written; `handler` a qualified or
    dotted name, in Go also the call that makes one; `guard` what provably protects it, such as a
    decorator's name, `further` the guards after it, in order; those of Laravel may be in other
    files. `condition` is the condition under which the route exists or matches, as written;
    `attributes` are those of the handler's class that the route sets, as written (`open=True`)."""

    method: str
    path: str
    line: int
    handler: str = ""
    owner: str = ""
    guard: str = ""
    framework: str = ""
    further: tuple[str, ...] = ()
    condition: str = ""
    unread: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()


class Mount(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A mount of the routes of `child` (as written: a router's name, a dotted module) on `owner`
    below `prefix`, behind `guards` (as written), where `condition` holds. A router with its own
    prefix or guards mounts itself: `owner` is ''."""

    owner: str
    child: str
    prefix: str
    line: int
    guards: tuple[str, ...] = ()
    condition: str = ""


class Maker(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A function or class that makes routers or single routes of its arguments. `prefix`, `method`
    and `handler` contain names of `parameters` in braces; a router has only a prefix. `defaults`
    are those of parameters. `guards` protect all routes of such a router. A class that extends
    `base`, as written, is a router if that is one, and passes its prefix to it."""

    name: str
    framework: str
    parameters: tuple[str, ...]
    prefix: str
    method: str = ""
    handler: str = ""
    defaults: dict[str, str] = {}
    guards: tuple[str, ...] = ()
    base: str = ""


class Made(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A call of a possible `Maker`: `maker` as written, `name` the variable of its result ('' for
    none), `given` the arguments by parameter or place. `framework` where the maker is a framework's
    own router. `guards` protect all routes of the router. `GIVEN` as maker: the variable is a
    parameter, and callers may pass a router for it."""

    name: str
    maker: str
    line: int
    given: dict[str, str]
    framework: str = ""
    guards: tuple[str, ...] = ()


GIVEN = "()"


class Around(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What an application of a framework puts before all its routes: a `prefix`, but not before
    the `excepted` paths, and `guards` (as written). `only` limits it to some routes: `GET path`,
    `ANY path` or the class of a controller; exceptions may have these forms too."""

    framework: str
    line: int
    prefix: str = ""
    guards: tuple[str, ...] = ()
    excepted: tuple[str, ...] = ()
    only: tuple[str, ...] = ()


class Template(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A route or a mount that `function` (a qualified name) makes of its arguments: `{$1}` in it is
    the second argument, `{$1*}` that one and all after it. A router among the arguments has the
    function's name. It is made unless the argument `condition` is `false`."""

    function: str
    route: Route | None = None
    mount: Mount | None = None
    condition: str = ""


class Handed(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A call of what may be the function of a `Template`, as written. `given` are the arguments:
    texts behind a quotation mark, names as written, '' for anything else; they may contain
    arguments of the function around the call. The routes are registered on `owner`, the router
    among the arguments ('' for none), below `prefix` and behind `guards`."""

    function: str
    line: int
    given: tuple[str, ...]
    owner: str = ""
    prefix: str = ""
    guards: tuple[str, ...] = ()


class Wiring(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The parts of routes that other files must complete: `routes` and `mounts` are registered on
    the routers of `made`, and count only where a maker of that name makes routers. `texts` are
    constants for addresses, `middleware` names of Laravel, decorators of NestJS and annotations,
    with their values, `events` those of
    sockets that are arguments, `wrappers` functions around handlers."""

    routes: tuple[Route, ...] = ()
    made: tuple[Made, ...] = ()
    makers: tuple[Maker, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    mounts: tuple[Mount, ...] = ()
    around: tuple[Around, ...] = ()
    templates: tuple[Template, ...] = ()
    handed: tuple[Handed, ...] = ()
    middleware: tuple[tuple[str, tuple[str, ...]], ...] = ()
    events: tuple[tuple[str, Job], ...] = ()
    wrappers: tuple[Wrapper, ...] = ()

    def joined(self, more: Wiring) -> Wiring:
        """The wiring of both, this one first."""
        pairs = zip(msgspec.structs.astuple(self), msgspec.structs.astuple(more), strict=True)
        return Wiring(*(mine + others for mine, others in pairs))


class Option(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An option with its `names` as typed (`-v`, `--verbose`, `PATH` for an argument). `path` is ''
    in the facts of a file, and in wikis the file that adds it to a command of another file.
    `is_many`: it can be repeated; `for_all`: it is also an option of all commands below its own."""

    names: tuple[str, ...]
    line: int
    help: str = ""
    default: str | None = None
    path: str = ""
    is_many: bool = False
    for_all: bool = False
    heading: str = ""

    @property
    def is_of_package(self) -> bool:
        """Does it stand for all that a function of a package adds, which `help` is then?"""
        return self.names[0].endswith(")") and "(" in self.names[0]


class CliCommand(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A command; its `words` begin after the program's name: () is the program itself, with the
    name `program` where the code sets one. Where a file does not declare the parent of a command,
    its words begin with its own name: `holder` is its variable or function, `children` are commands
    of other variables below it (`name=child` where it names one itself), `parent` the one above it,
    as written; `name` is the name there of one without words. `parts` are functions that add
    options or commands to it: what each of them adds is a row with `is_part` and the function as
    `holder`. An application without a callback is such a part, too, and its own `parent`.
    `aliases` may be typed for its last word."""

    words: tuple[str, ...]
    line: int
    help: str = ""
    handler: str = ""
    options: tuple[Option, ...] = ()
    holder: str = ""
    children: tuple[str, ...] = ()
    parent: str = ""
    program: str = ""
    parts: tuple[str, ...] = ()
    is_part: bool = False
    name: str = ""
    aliases: tuple[str, ...] = ()


INNER = "?"
"""Before the name of a key that is one only where another struct holds that of its own."""


class Setting(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A value that is configured from outside, and read here. `default` is a literal of the code,
    None without one; it is shown only where it is not a secret, which one of a few words that the
    code allows (`is_choice`) never is. `type` is as written, '' where none is declared. One that
    `is_declared` is not read at its line. In wikis `condition` is the one under which it is
    required."""

    name: str
    kind: SettingKind
    line: int
    default: str | None = None
    is_required: bool = False
    doc: str = ""
    is_choice: bool = False
    type: str = ""
    condition: str = ""
    is_declared: bool = False


class Job(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Background work. `trigger` is a schedule, or the name of a queue or an event. Where it
    `is_abstract`, classes that extend its own do it, or callers of its function set the
    schedule or start it. With `by` it is a job only if its framework makes what is called so."""

    name: str
    kind: JobKind
    line: int
    trigger: str = ""
    handler: str = ""
    framework: str = ""
    is_abstract: bool = False
    by: str = ""


class Entry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Where a program begins."""

    name: str
    kind: EntryKind
    line: int
    symbol: str = ""


class Test(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A test with its line, or a fixture of tests."""

    name: str
    line: int
    kind: Literal["test", "fixture"] = "test"


Fact = Import | Route | Mount | Wiring | CliCommand | Setting | Entity | Job | Entry | Test
"""What a reader of frameworks reports."""


class FileFacts(msgspec.Struct, array_like=True, kw_only=True, gc=False):
    """The facts of a file. `package` is its declared package, namespace or module. `exports` are
    the names in its list of exports; None without one. `language` is set where its content decides
    the language and not its name; else ''."""

    status: Status = "ok"
    lines: int = 0
    language: str = ""
    package: str = ""
    doc: str = ""
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    calls: tuple[Call, ...] = ()
    exports: tuple[str, ...] | None = None
    routes: tuple[Route, ...] = ()
    mounts: tuple[Mount, ...] = ()
    commands: tuple[CliCommand, ...] = ()
    settings: tuple[Setting, ...] = ()
    entities: tuple[Entity, ...] = ()
    jobs: tuple[Job, ...] = ()
    entries: tuple[Entry, ...] = ()
    tests: tuple[Test, ...] = ()
    wiring: Wiring = Wiring()
    typed: tuple[Typed, ...] = ()
    given: tuple[Given, ...] = ()
    variables: tuple[Given, ...] = ()
    """The places where a name of `given` is set as a variable."""
    default: str = ""
    """The local name of the default export of a module of JavaScript."""

    def add(self, facts: Iterable[Fact]) -> None:
        """Append facts to those of their kind."""
        kinds: dict[type[Fact], list[Any]] = defaultdict(list)
        for fact in facts:
            kinds[type(fact)].append(fact)
        self.imports += tuple(kinds[Import])
        self.routes += tuple(kinds[Route])
        self.mounts += tuple(kinds[Mount])
        self.commands += tuple(kinds[CliCommand])
        self.settings += tuple(kinds[Setting])
        self.entities += tuple(kinds[Entity])
        self.jobs += tuple(kinds[Job])
        self.entries += tuple(kinds[Entry])
        self.tests += tuple(kinds[Test])
        for wiring in kinds[Wiring]:
            self.wiring = self.wiring.joined(wiring)
