"""Variables of the environment, and properties of the system of Java, that functions of a project
ask for by what they are handed: `expanded("CACHE_DIR")`, where `expanded` hands its parameter to
`os.environ.get` or to another such function."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from stationmaster.reading.code.languages.go.frameworks import bound
from stationmaster.reading.code.languages.go.settings import VIPER
from stationmaster.reading.code.languages.jvm.data import PROPERTIES_OF_PLATFORM
from stationmaster.reading.code.model import Call, Setting, SettingKind, Symbol
from stationmaster.reading.code.overloads import fits
from stationmaster.reading.code.signatures import arguments_from
from stationmaster.wiki.facts.code.bindings import constant_value, declaration
from stationmaster.wiki.facts.code.comments import numbered, symbol_of
from stationmaster.wiki.facts.code.names import targets, types
from stationmaster.wiki.facts.configured.go_calls import calls, source
from stationmaster.wiki.facts.configured.go_structs import Read, sources
from stationmaster.wiki.facts.configured.literals import default_value, literal
from stationmaster.wiki.facts.model import Facts, Place, Spot, query

_ASKS = (
    r"\b(?:(?i:getenv|GetEnvironmentVariable|environ\.get|env::var|env::var_os|ENV\.fetch)\("
    r"|(?:environ|ENV|process\??\.env(?:\?\.)?)\[)\s{0,20}"
)
_OF_PARAMETER = re.compile(_ASKS + r"&?\$?([A-Za-z_]\w{0,60})\s{0,20}[,)\]]")
_OF_CONSTANT = re.compile(
    _ASKS + r"&?((?:\w{1,60}(?:\.|::)){0,4}[A-Z][A-Z0-9_]{1,60})\s{0,20}[,)\]]"
)
_OF_PROPERTY = re.compile(
    r"\b(?:System\.getProperty|Integer\.getInteger|Long\.getLong|Boolean\.getBoolean)\("
    r"\s{0,20}([A-Za-z_]\w{0,60})\s{0,20}[,)]"
)
_OF_JVM = (".java", ".kt")
_WORDS = (
    "etenv",
    "GetEnvironmentVariable",
    "environ",
    "env::var",
    "ENV",
    "process.env",
    "process?.env",
)
_ASKING_OF_GO = {"Getenv": "os", "LookupEnv": "os", "BindEnv": VIPER, "MustBindEnv": VIPER}
"""What asks the environment, by the package whose it is."""
_OF_GO_PACKAGES = {*_ASKING_OF_GO.values()}
_MADE = (
    r"\b%s\s{0,9}=\s{0,9}(?:format!\(|f|fmt\.)?[\"'`](\w{0,60})\$?\{(\w{1,60})\}(\w{0,60})[\"'`]"
)
"""What a variable of this name is put together from."""
_SPRINTF = re.compile(r"fmt\.Sprintf\(\s*\"(\w{0,60})%s(\w{0,60})\"\s*,\s*(\w{1,60})\s*\)")
_TEXT = re.compile(r"[\"']([A-Za-z_][\w.-]{1,99})[\"']")
_PARAMETER = re.compile(r"[&*$.]{0,4}(?:(?:mut|const|final|_)\s+)?(\w{1,60})")
_CONSTANT = re.compile(r"&?((?:\w{1,60}(?:\.|::)){0,4}[A-Z][A-Z0-9_]{1,99})")
_OF_GO = re.compile(r"((?:\w{1,60}\.)?[A-Za-z]\w{0,99})")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{1,99}")
_VARIABLE_OF_GO = re.compile(r"[A-Za-z_]\w{1,99}")
_PROPERTY = re.compile(r"[A-Za-z][\w.-]{1,99}")
_LIFETIME = re.compile(r"&'\w{1,60}\s")
_WORD = re.compile(r"\w+")
_BOUND = re.compile(r"\b(\w{1,60})\s{0,9}(?::|extends)\s{0,9}([^,>{(]{1,80})")
"""A type parameter, and what it extends."""
_SELF = re.compile(r"[&*]{0,2}(?:mut )?(?:self|cls|this)\b.{0,60}")
_DEFAULT = re.compile(r"(?i)(?:def|default|fallback|dflt|orelse)\w{0,20}")
_OF_SCRIPTS = re.compile(r".*\.[cm]?[jt]sx?")
_CONVERTED = re.compile(r"\b(?:Number|parseFloat|parseInt|String)\($")
_STANDS_IN = re.compile(
    r"\w{1,60}\([^()]{0,200}\)(\s{0,20}(?:,\s{0,9}10\s{0,9})?\))?+\s{0,40}(?:\|\||\?\?)\s{0,40}"
    r"(\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|-?\d[\d_.]{0,20}|(?:true|false|[A-Z][A-Z\d_]{2,60})\b(?![.(]))"
)
"""In JavaScript a call with what takes the place of its value, also once that is converted."""
_DEPTH_MAX, _ASKERS_MAX, _SETTINGS_MAX, _BODY_MAX = 3, 200, 4_000, 60
_UNNAMED_MAX = 20
_USE_LINES = 20
"""Of a call that is read."""


class Handed(NamedTuple):
    """The variables with the files that name them, and where the program makes a name."""

    reads: tuple[Read, ...]
    unnamed: tuple[Place, ...]


@query
def handed(facts: Facts) -> Handed:
    """At most 4,000 variables, and 20 places."""
    askers = _Askers(facts)
    reads = tuple(islice(askers.read(), _SETTINGS_MAX))
    return Handed(reads, tuple(sorted({*askers.unnamed})[:_UNNAMED_MAX]))


def read(facts: Facts) -> Sequence[Read]:
    """The variables, with the files that name them."""
    return handed(facts).reads


class _Asker(NamedTuple):
    """A function that asks for the variable that its parameter at a place names, between `before`
    and `after`. `default` is the place of what stands in for it, -1 for none."""

    path: str
    function: Symbol
    place: int
    default: int
    before: str = ""
    after: str = ""
    kind: SettingKind = "env"

    @property
    def is_go(self) -> bool:
        return self.path.endswith(".go")


class _Use(NamedTuple):
    """A call of such a function; `other` is what takes the place of its value, '' for nothing."""

    path: str
    line: int
    given: tuple[str, ...]
    other: str = ""


class _Askers:
    """The functions of a program that ask for what they are handed."""

    def __init__(self, facts: Facts) -> None:
        self._facts, self._paths = facts, [*sources(facts)]
        self.unnamed: list[Place] = []

    def read(self) -> Iterator[Read]:
        """Also notes in `unnamed` where names are made that are not known."""
        yield from self._direct()
        waiting = [(asker, 0) for path in self._paths for asker in self._first(path)]
        seen: set[_Asker] = set()
        uses: list[tuple[_Asker, _Use]] = []
        while waiting and len(seen) < _ASKERS_MAX:
            asker, depth = waiting.pop(0)
            if asker in seen:
                continue
            seen.add(asker)
            of_asker = [*self._uses(asker)]
            if default := self._by_default(asker):
                yield asker.path, Setting(default, "env", asker.function.line)
            is_open = asker.kind == "env" and not (of_asker or default)
            self.unnamed += [(asker.path, asker.function.line)] if is_open else []
            for use in of_asker:
                written = use.given[asker.place]
                if self._name(use.path, written):
                    uses.append((asker, use))
                elif depth < _DEPTH_MAX:
                    functions = self._functions(use.path, use.line)
                    function = max(functions, key=lambda it: it.line, default=None)
                    outer = self._asker(use.path, function, written) if function else None
                    waiting += [(_within(asker, outer), depth + 1)] if outer else []
                    is_open = asker.kind == "env" and outer is None
                    self.unnamed += [(use.path, use.line)] if is_open else []
        yield from self._settings(uses, {(it.path, it.function.line, it.place) for it in seen})

    def _by_default(self, asker: _Asker) -> str:
        """The variable that is asked for where a call does not name one; '' for none."""
        written = _taken(asker.function)[asker.place].rpartition("=")[2].strip()
        literal = _TEXT.fullmatch(written)
        name = f"{asker.before}{literal[1]}{asker.after}" if literal else ""
        return name if _VARIABLE.fullmatch(name) else ""

    def _settings(
        self, uses: Sequence[tuple[_Asker, _Use]], places: Set[tuple[str, int, int]]
    ) -> Iterator[Read]:
        """`places` are the parameters that are asked for: such a one is no value that stands in,
        but the name of a variable that does."""
        for asker, use in uses:
            written = use.given[asker.place]
            name = f"{asker.before}{self._name(use.path, written)}{asker.after}"
            is_name = (asker.path, asker.function.line, asker.default) in places
            default = None if is_name else self._default(asker, use)
            if _is_name(asker, name):
                doc = self._doc(use.path, written)
                yield use.path, Setting(name, asker.kind, use.line, default, doc=doc)

    def _default(self, asker: _Asker, use: _Use) -> str | None:
        """What stands in for a setting, also by a constant of Java or JavaScript."""
        is_given = 0 <= asker.default < len(use.given)
        written = use.given[asker.default] if is_given else use.other
        if (use.other or use.path.endswith(_OF_JVM)) and _CONSTANT.fullmatch(written):
            value = default_value(self._facts, use.path, f"{{${written}}}")
            return None if value and value.startswith("{$") else value
        return literal(written) or literal(written.rpartition("=")[2].strip())

    def _direct(self) -> Iterator[Read]:
        """What is asked for by a constant, wherever that is declared; the reader of each file of Go
        knows those."""
        for path in self._paths:
            text = "" if path.endswith(".go") else source(self._facts, path)
            for line, match in numbered(_OF_CONSTANT, text) if _may_ask(text) else ():
                name = self._name(path, match[1])
                if _VARIABLE.fullmatch(name):
                    yield path, Setting(name, "env", line, doc=self._doc(path, match[1]))

    def _first(self, path: str) -> Iterator[_Asker]:
        """The functions of a file that ask the environment for what they are given. Also notes
        where they ask for another name that is not known."""
        text = source(self._facts, path)
        lines = text.split("\n")
        for line, written, kind in self._asked(path, text):
            is_open = kind == "env" and not self._name(path, written)
            for function in self._functions(path, line):
                body = "\n".join(lines[function.line - 1 : function.end])
                made = re.search(_MADE % re.escape(written), body)
                asker = self._asker(path, function, made[2] if made else written)
                if asker and line - function.line <= _BODY_MAX:
                    asker, is_open = asker._replace(kind=kind), False
                    yield asker._replace(before=made[1], after=made[3]) if made else asker
            self.unnamed += [(path, line)] if is_open else []

    def _functions(self, path: str, line: int) -> Iterator[Symbol]:
        """Those around a line; of several of one name, only those that have it."""
        for it in self._facts.code[path].symbols:
            if it.kind in ("function", "method") and it.line <= line <= it.end:
                yield it

    def _asked(self, path: str, text: str) -> Iterator[tuple[int, str, SettingKind]]:
        """What the environment is asked for by something else than a text, with the lines."""
        if not path.endswith(".go"):
            named = numbered(_OF_PARAMETER, text) if _may_ask(text) else ()
            yield from ((line, match[1], "env") for line, match in named)
            named = numbered(_OF_PROPERTY, text) if path.endswith(_OF_JVM) else ()
            yield from ((line, match[1], "key") for line, match in named)
            return
        packages = bound(self._facts.code[path].imports)
        for call in calls(text, _ASKING_OF_GO) if _OF_GO_PACKAGES & {*packages.values()} else ():
            # A prefix of viper stands before all names, and two names need no parameter.
            is_alone = call.of == "os" or (len(call.given) == 1 and ".SetEnvPrefix(" not in text)
            if packages.get(call.of) == _ASKING_OF_GO[call.name] and is_alone and call.given:
                yield call.line, call.given[0], "env"

    def _name(self, path: str, written: str) -> str:
        """The text of a literal or a constant; '' for anything else."""
        end = self._constant(path, written)
        literal = _TEXT.fullmatch(constant_value(self._facts, *end) if end else written)
        return literal[1] if literal else ""

    def _constant(self, path: str, written: str) -> tuple[str, Symbol] | None:
        named = (_OF_GO if path.endswith(".go") else _CONSTANT).fullmatch(written)
        return declaration(self._facts, path, named[1].replace("::", ".")) if named else None

    def _doc(self, path: str, written: str) -> str:
        """What is said of a constant where it is declared."""
        end = self._constant(path, written)
        return end[1].doc if end else ""

    def _asker(self, path: str, function: Symbol, written: str) -> _Asker | None:
        """The function around a call, where what is written there is one of its own parameters, or
        is put together around one."""
        parts = self._parts(path, written.strip("&$"))
        taken = _parameters(function)
        if parts is None or parts[1] not in taken:
            return None
        default = next((at for at, word in enumerate(taken) if _DEFAULT.fullmatch(word)), -1)
        return _Asker(path, function, taken.index(parts[1]), default, parts[0], parts[2])

    def _parts(self, path: str, written: str) -> tuple[str, str, str] | None:
        """What stands before and behind the only name in a text that is put together."""
        if made := _SPRINTF.fullmatch(written):
            return made[1], made[3], made[2]
        parts = [part.strip() for part in written.split("+")]
        names = [self._name(path, part) for part in parts]
        if names.count("") != 1:
            return None
        at = names.index("")
        return "".join(names[:at]), parts[at], "".join(names[at + 1 :])

    def _uses(self, asker: _Asker) -> Iterator[_Use]:
        """The calls of a function that give it enough."""
        name, spot = asker.function.name, Spot(asker.path, asker.function.qualified)
        called = re.compile(rf"\b{re.escape(name)}\(")
        for path in self._paths:
            calls = [it for it in self._facts.code[path].calls if it.name == name]
            lines = source(self._facts, path).split("\n") if calls else []
            for call in calls if path.endswith(".go") is asker.is_go else ():
                text = "\n".join(lines[call.line - 1 : call.line + _USE_LINES])
                is_meant = fits(asker.function, call.given) and spot in self._ends(path, call)
                for begun in called.finditer(text.partition("\n")[0]) if is_meant else ():
                    passed = arguments_from(text, begun.end())
                    if asker.place < len(passed):
                        yield _Use(path, call.line, passed, _other(path, text, begun.start()))

    def _ends(self, path: str, call: Call) -> Sequence[Spot]:
        """What a call runs, also one on what is of a type parameter: `vars: &V` with `V: Names`."""
        ends = targets(self._facts, path, call)
        caller = None if ends else symbol_of(self._facts, path, call.caller)
        signature, start = _signature(caller) if caller else ("", 0)
        of = (_WORD.findall(it) for it in arguments_from(signature, start))
        words = {word for it in of if call.of in it for word in it}
        bounds = (it[2] for it in _BOUND.finditer(signature) if it[1] in words)
        calls_ = (replace(call, of=name) for it in bounds for name in _WORD.findall(it))
        own = (types(self._facts).method(path, it) for it in calls_)
        return ends or [Spot(*it) for some in own for it in some]


def _other(path: str, text: str, start: int) -> str:
    """What takes the place of the value of a call that begins there, as written."""
    other = _STANDS_IN.match(text, start) if _OF_SCRIPTS.fullmatch(path) else None
    is_whole = other and (not other[1] or _CONVERTED.search(text[max(start - 20, 0) : start]))
    return other[2] if other and is_whole else ""


def _may_ask(text: str) -> bool:
    return any(word in text for word in _WORDS)


def _within(asker: _Asker, outer: _Asker) -> _Asker:
    """One that hands its parameter to another, which puts more around it."""
    before, after = asker.before + outer.before, outer.after + asker.after
    return outer._replace(before=before, after=after, kind=asker.kind)


def _taken(function: Symbol) -> list[str]:
    """The parameters as written, without the object itself."""
    signature, start = _signature(function)
    taken = [*arguments_from(signature, start)] if start else []
    return taken[1:] if taken[:1] and _SELF.fullmatch(taken[0]) else taken


def _signature(function: Symbol) -> tuple[str, int]:
    """A signature without lifetimes, and where its parameters begin, 0 for none."""
    signature = _LIFETIME.sub("&", function.signature)
    at = signature.find(f"{function.name}(")
    return signature, signature.find("(", max(at, signature.find(function.name))) + 1


def _parameters(function: Symbol) -> list[str]:
    words = []
    for parameter in _taken(function):
        bare = parameter.partition("=")[0].strip()
        named = _PARAMETER.match(bare)
        is_typed_before = (
            ":" not in bare and " " in bare and not function.signature.startswith("func ")
        )
        word = bare.rpartition(" ")[2] if is_typed_before else named[1] if named else ""
        words.append(word.strip("&*$."))
    return words


def _is_name(asker: _Asker, name: str) -> bool:
    if asker.kind == "key":
        return bool(_PROPERTY.fullmatch(name)) and not name.startswith(PROPERTIES_OF_PLATFORM)
    return bool((_VARIABLE_OF_GO if asker.is_go else _VARIABLE).fullmatch(name))
