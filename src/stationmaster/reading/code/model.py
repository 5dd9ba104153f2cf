"""What one source file says. Lines count from 1; `end` is the last line.

Nothing here knows the file's path: the same bytes in the same language say the same wherever they
lie, which is what makes them worth remembering. Texts are one line, and cut.
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
    "minified", "binary", "foreign",
]  # fmt: skip
"""`errors`: the parser skipped parts, what it understood is here. The others say nothing of the
file but why; the last four that it is no source at all."""
SymbolKind = Literal[
    "class", "interface", "struct", "enum", "trait", "protocol", "object", "type", "module",
    "function", "method", "constructor", "property", "constant", "variable", "macro",
]  # fmt: skip
ImportKind = Literal[
    "module", "type", "lazy", "dynamic", "reexport", "include", "reference", "test"
]
"""How an import weighs: `type` is gone at run time, `lazy` runs inside a function, `dynamic` names
its module by a literal text, `reexport` hands on what it imports, `test` is there in tests alone. A
`reference` is no import: a type or constant is named that the language finds by itself. One that
leads nowhere says nothing."""
SettingKind = Literal["env", "flag", "key", "feature"]
JobKind = Literal["schedule", "queue", "consumer", "worker", "event"]
EntryKind = Literal["main", "server", "app", "handler", "script"]
TestKind = Literal["test", "fixture", "benchmark", "fuzz"]

TEXT_MAX, DOC_MAX, HELP_MAX = 200, 300, 600


class Symbol(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`container` is the dotted names of what holds it. `doc` is the first sentence of its comment,
    `bases` what it extends or implements as written, `marks` its decorators, annotations or
    attributes without arguments. `takes` are the types of its parameters, such as `(Class, int)`,
    where a language tells functions of one name apart by them; `is_overloaded` says that there are
    others of its name."""

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
        """The dotted name, that of its container before its own; with what it takes, where that
        alone tells it from others."""
        own = f"{self.name}{self.takes}" if self.is_overloaded else self.name
        return f"{self.container}.{own}" if self.container else own


class Import(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`name` is the module as the language writes it (`a.b`, `./x`, `crate::m`, `<x.h>`), `level`
    Python's leading dots. `names` are what is taken out of it (`*` for all), `bound` the names that
    they have here, in the same order; `bound[0]` is the module's own name where `names` is empty,
    `used` are its members that a file of Go names."""

    name: str
    line: int
    kind: ImportKind = "module"
    names: tuple[str, ...] = ()
    bound: tuple[str, ...] = ()
    level: int = 0
    used: tuple[str, ...] = ()


class Call(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Something is called by `name`, on `of` as written (`self`, `service`; '' for a plain call).
    `caller` is the qualified name of the symbol around it, '' at top level. `given` are
    the types of its arguments where they are literals, '' for others; None where the language does
    not need them."""

    name: str
    line: int
    of: str = ""
    caller: str = ""
    given: tuple[str, ...] | None = None


class Typed(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Within `holder`, `name` holds a `type`, a dotted name as written: a field of a class, a
    variable or parameter of a function ('' as holder: of the file). The name '' is the function's
    result. `make()` as type is what `make` gives, `self.tin` what that holds, `A|B` either."""

    name: str
    type: str
    holder: str = ""


class Given(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A dotted name that stands alone at a line, as an argument or another value."""

    name: str
    line: int

    @property
    def head(self) -> str:
        """What the name begins with."""
        return self.name.partition(".")[0]


class Route(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An HTTP route as this file alone tells it. `method` is upper case, `ANY` for all; `path` as
    written. `owner` is the router it is put on, as written; `handler` a qualified or dotted name,
    in Go also the call that makes one; `guard` what provably protects it, such as a decorator's
    name, `further` what runs behind that one, in order; of Laravel other files tell what protects.
    `condition` is what must hold for it to be there, as written; wikis find the last two."""

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


class Mount(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The routes of `child` (as written: a router's name, a dotted module) are put on `owner` below
    `prefix`, behind `guards` (as written), where `condition` holds. A router that has a prefix or
    guards of its own mounts itself: `owner` is ''."""

    owner: str
    child: str
    prefix: str
    line: int
    guards: tuple[str, ...] = ()
    condition: str = ""


class Maker(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A function or class that makes routers or single routes of what it is given. `prefix`,
    `method` and `handler` hold names of `parameters` in braces; a router has a prefix alone.
    `defaults` are those of parameters. `guards` protect all that is put on such a router. A class
    on `base`, as written, is a router if that is one, and hands its prefix on to it."""

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
    """A call of what may be a `Maker`: `maker` as written, `name` the variable that holds what it
    makes ('' for none), and what it was given by parameter or place. `framework` where the maker
    is a framework's own router. `guards` protect all that is put on the router. `GIVEN` as maker:
    the variable is a parameter, and others may give a router for it."""

    name: str
    maker: str
    line: int
    given: dict[str, str]
    framework: str = ""
    guards: tuple[str, ...] = ()


GIVEN = "()"


class Around(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What an application of a framework puts before all its routes: `prefix`, but not before the
    paths that are `excepted`, and `guards` (as written). `only` for some: `GET path`, `ANY path` or
    the class of a controller; so can be written what is excepted."""

    framework: str
    line: int
    prefix: str = ""
    guards: tuple[str, ...] = ()
    excepted: tuple[str, ...] = ()
    only: tuple[str, ...] = ()


class Template(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A route or a mount that `function` (a qualified name) makes of what it is given: `{$1}` in it
    stands for the second argument, `{$1*}` for that and each behind it. Where the function is given
    the router too, that one has the function's name. It is made only where `condition` is not given
    as `false`."""

    function: str
    route: Route | None = None
    mount: Mount | None = None
    condition: str = ""


class Handed(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A call of what may be the function of a `Template`, as written. `given` are the arguments:
    texts behind a quotation mark, names as written, '' for anything else; they may hold what the
    function around the call is given. The routes are put on `owner` below `prefix`, behind
    `guards`: that is the router among the arguments ('' for none)."""

    function: str
    line: int
    given: tuple[str, ...]
    owner: str = ""
    prefix: str = ""
    guards: tuple[str, ...] = ()


class Wiring(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a file says of routes that other files must complete: `routes` and `mounts` are put on
    what `made` holds, and are none where no maker of that name makes routers. `texts` are constants
    for addresses, `middleware` names of Laravel, decorators of NestJS and annotations, with what
    they stand for, `prefixed` functions that may put more before paths, `events` of sockets that
    one is given, `wrappers` functions that are put around handlers."""

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
    prefixed: tuple[tuple[str, int], ...] = ()
    wrappers: tuple[Wrapper, ...] = ()

    def joined(self, more: Wiring) -> Wiring:
        """What this one says, and behind it what another one does."""
        pairs = zip(msgspec.structs.astuple(self), msgspec.structs.astuple(more), strict=True)
        return Wiring(*(mine + others for mine, others in pairs))


class Option(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`names` as typed (`-v`, `--verbose`, `PATH` for an argument). `path` is '' in what a file
    says, and for wikis the file of one that another file adds to a command. One `is_many` may be
    given several times; one that is `for_all` also to all commands below its own."""

    names: tuple[str, ...]
    line: int
    help: str = ""
    default: str | None = None
    path: str = ""
    is_many: bool = False
    for_all: bool = False
    heading: str = ""


class CliCommand(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`words` begin below the program's own name: () is the program itself, which calls itself
    `program` if it says so. Where a file alone does not tell what a command is put below, they
    begin with its own name: `holder` is the variable or function that keeps it, `children` are
    those kept elsewhere that it has below it (`name=child` where it calls one so itself), `parent`
    what it is put below, as written; `name` is what one without words is called there. `parts` are
    functions that add options or commands to it: what each of these adds is told as a command that
    is none, but `is_part`, with the function as its `holder`. Such a part is an application that
    has no callback, too, which is its own `parent`."""

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


class Setting(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A value that is configured from outside, and read here. `default` is a literal of the code,
    None without one; it is shown only where it is no secret, which one of a few words that the code
    allows (`is_choice`) never is. `type` is as written, '' where none is declared."""

    name: str
    kind: SettingKind
    line: int
    default: str | None = None
    is_required: bool = False
    doc: str = ""
    is_choice: bool = False
    type: str = ""


class Job(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Work that nobody waits for. `trigger` is a schedule, a queue's or an event's name. What is
    `is_abstract` is done by the classes that extend its own, or for the callers of a function that
    is given the schedule."""

    name: str
    kind: JobKind
    line: int
    trigger: str = ""
    handler: str = ""
    framework: str = ""
    is_abstract: bool = False


class Entry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Where a program begins."""

    name: str
    kind: EntryKind
    line: int
    symbol: str = ""


class Test(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A test with its line; a fixture, a benchmark and a fuzz test are of their own kinds."""

    name: str
    line: int
    kind: TestKind = "test"


class Mark(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A remark about work to do: `TODO`, `FIXME`, `HACK`, `XXX`, `deprecated`."""

    word: str
    line: int
    text: str = ""


Fact = Import | Route | Mount | Wiring | CliCommand | Setting | Entity | Job | Entry | Test | Mark
"""What a reader of frameworks reports."""


class FileFacts(msgspec.Struct, array_like=True, kw_only=True, gc=False):
    """`package` is the package, namespace or module that the file says it belongs to. `exports` are
    names that it declares public by a list of its own; None without one. `language` is what it was
    read as, where its bytes told more than its name; else ''."""

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
    marks: tuple[Mark, ...] = ()
    wiring: Wiring = Wiring()
    typed: tuple[Typed, ...] = ()
    given: tuple[Given, ...] = ()
    variables: tuple[Given, ...] = ()
    """Of the names that are given, where one is a variable's."""
    default: str = ""
    """The name here of what a module of JavaScript exports by default."""
    cut: tuple[str, ...] = ()
    """Members above that reached their bound, and are not whole."""

    def add(self, facts: Iterable[Fact]) -> None:
        """Put facts behind those of their kind."""
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
        self.marks += tuple(kinds[Mark])
        for wiring in kinds[Wiring]:
            self.wiring = self.wiring.joined(wiring)
