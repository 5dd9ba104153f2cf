"""The variables of the environment that keys can be set by: of viper (Go), of figment and config
(Rust), and where files name them, of .NET, of Spring, Quarkus and Micronaut, and of a schema of
Ruby."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from typing import NamedTuple

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.inflections import snake
from stationmaster.reading.code.model import Setting, SettingKind
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.links import users_of_outside
from stationmaster.wiki.facts.configured.go_structs import Read, sources
from stationmaster.wiki.facts.configured.mentioned import mentioned
from stationmaster.wiki.facts.interfaces.wiring import told_elsewhere
from stationmaster.wiki.facts.model import Facts, of_file, query

PACKAGE = "github.com/spf13/viper"
DOTNET, SPRING_BOOT = ".NET", "Spring Boot"
_OF_KOANF = "github.com/knadh/koanf/providers/env"
_PROVIDED = re.compile(r"\benv\.Provider(?:WithValue)?\(\s*\"(\w{1,60})\"\s*,\s*\"\.\"")
_FOR_DOTS = re.compile(r"\bstrings\.Replace(?:All)?\([^\n]{0,200}?,\s*\"([^\"\n]{1,4})\",\s*\"\.\"")
_CALLBACK_MAX = 1_000
_AUTOMATIC = re.compile(r"\.AutomaticEnv\(\s*\)")
_PREFIX = re.compile(r"\.SetEnvPrefix\(\s*(?:\"(\w{1,60})\"|(\w{1,60}))?")
_REPLACED = re.compile(r"EnvKeyReplacer\(\s*(\w{0,60})")
_REPLACER = re.compile(r"strings\.NewReplacer\(((?:\s*+\"[^\"\n]{0,9}\"\s*+,?+){2,20}+)\s*+\)")
_HELD = r"\b%s(?:\s+string)?\s*:?=\s*"
"""Before what a name of the file is given."""
_TEXT = re.compile(r"\"([^\"]*)\"")
_ENDINGS = (".go", ".java", ".kt", ".rb")
_NO_NAME = re.compile(r"[^A-Z0-9]+")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,199}")

_PREFIXED = re.compile(
    r"\b(?:Env::prefixed|(Environment::with_prefix))\(\s*\"(\w{1,60})\"\s*\)"
    r"(?:\s*\.(?:split|separator)\(\s*\"([^\"\n]{1,5})\"\s*\))?"
)
_OF_DOTNET = re.compile(
    r"\.AddEnvironmentVariables\(\s*(?:prefix:\s*)?(?:\"(\w{0,60})\"\s*)?(\S)"
    r"|\b(?:CreateDefaultBuilder|WebApplication\.CreateBuilder|Host\.CreateApplicationBuilder)\("
)

_OF_JVM = code.table("jvm.settings.variables", dict[str, tuple[str, str]])
"""The framework and what becomes of a hyphen in a name, by the package that fills settings."""
_SEVERAL = re.compile(r"[<\[]|(?:Dictionary|List|Map|Set)$")
_SET = re.compile(r"(?m)^\t\w{1,60}\.Set\(\"([\w.-]{1,100})\",")
"""In no block of its function."""


def variables(
    facts: Facts,
    reads: Mapping[tuple[SettingKind, str], list[Read]],
    named: Set[str],
) -> Mapping[str, str]:
    """The variables that keys in programs of Go, Rust, .NET, Java and Kotlin can be set by, by
    key. One that is not certain, or that a framework would take for any key, needs a file that
    names it: `named` are those of examples and containers.
    """
    rules = dict(_ruled(facts, reads))
    made = {key: rule.names(key) for key, rule in rules.items()}
    sure = {it for key, names in made.items() if rules[key].is_certain for it in names}
    unsure = {it for names in made.values() for it in names} - sure
    sure |= {it for it in unsure if it in named or ("env", it) in reads}
    sure |= mentioned(facts, unsure - sure, {}).keys()
    chosen = {key: [it for it in names if it in sure] for key, names in made.items()}
    first = {key: names[0] for key, names in chosen.items() if names}
    return {**first, **dict(_of_fields(reads))}


def _ruled(
    facts: Facts, reads: Mapping[tuple[SettingKind, str], list[Read]]
) -> Iterator[tuple[str, _Rule]]:
    """Keys with the rules for their variables."""
    for file in interfaces(facts):
        for it in file.settings if file.path.endswith(_ENDINGS) else ():
            if it.kind == "key" and file.path.endswith(".rb"):
                yield it.name, _Rule("", None)
            elif it.kind == "key":
                is_go = file.path.endswith(".go")
                name = told_elsewhere(facts, file.path, it.name) if is_go else it.name
                rule = _of_viper(facts, file.path) if is_go else _of_jvm(facts, file.path, it)
                yield from ((name, rule),) if rule else ()
    of_rust, of_dotnet = _prefixes(facts), _dotnet(facts)
    for (kind, name), own in reads.items() if len(of_rust) == 1 or of_dotnet else ():
        if kind == "key" and own[0][0].endswith(".rs") and of_rust:
            prefix, sign = of_rust[0]
            yield name, _Rule(prefix.upper(), (".", sign) if sign else ())
        elif kind == "key" and own[0][0].endswith(".cs") and of_dotnet:
            path, it = own[0]
            if "Section(" not in facts.tree.text(path).split("\n")[it.line - 1]:
                yield name, of_dotnet


def _of_fields(
    reads: Mapping[tuple[SettingKind, str], list[Read]],
) -> Iterator[tuple[str, str]]:
    """The keys and variables of Go that one line alone declares: the field of a struct, a flag."""
    lines: dict[tuple[str, int], set[tuple[SettingKind, str]]] = defaultdict(set)
    for key, own in reads.items():
        for path, it in own:
            if path.endswith(".go"):
                lines[path, it.line].add(key)
    for pair in lines.values():
        names = dict(pair)
        if len(pair) == 2 and names.keys() == {"key", "env"}:
            yield names["key"], names["env"]


class _Rule(NamedTuple):
    """How names of variables are made of keys: what stands before them, and what is replaced by
    what in turn, None where the program computes it. A `framework` takes each key so, '' for
    none."""

    prefix: str
    replaced: tuple[str, ...] | None
    framework: str = ""

    @property
    def is_certain(self) -> bool:
        """Does the program itself make these names?"""
        return self.replaced is not None and not self.framework

    def names(self, key: str) -> tuple[str, ...]:
        """Those that a shell can set. Of what is computed, forms that are usual."""
        if self.replaced is None:
            return tuple(
                f"{self.prefix}{_NO_NAME.sub('_', it.upper())}" for it in (snake(key), key)
            )
        name = f"{self.prefix}{key}".upper()
        for old, new in zip(self.replaced[::2], self.replaced[1::2], strict=False):
            name = name.replace(old, new.upper())
        return (name,) if _VARIABLE.fullmatch(name) else ()


def _of_viper(facts: Facts, path: str) -> _Rule | None:
    rules = _vipers(facts)
    return rules.get(path) or rules.get(folder_of(path)) or rules.get("")


@query
def _vipers(facts: Facts) -> Mapping[str, _Rule]:
    """By file, by folder, and as '' for all where the repository has one alone."""
    rules: dict[str, _Rule] = {}
    for path, _ in users_of_outside(facts, PACKAGE):
        text = facts.tree.text(path)
        if _AUTOMATIC.search(text) and not path.endswith("_test.go"):
            prefix = _prefix(text)
            if prefix is not None:
                begin = f"{prefix}_".upper() if prefix else ""
                rules[path] = _Rule(begin, _replaced(text))
    by_folder = {folder_of(path): rule for path, rule in rules.items()}
    variables = {**by_folder, **rules}
    if len(set(rules.values())) == 1:
        variables[""] = next(iter(rules.values()))
    return variables


@query
def overridden(facts: Facts) -> frozenset[str]:
    """Keys of viper that a program itself sets, over whatever a user gives."""
    return frozenset(
        match[1]
        for path, _ in users_of_outside(facts, PACKAGE)
        if not path.endswith("_test.go")
        for function in facts.tree.text(path).split("\nfunc ")
        if _AUTOMATIC.search(function) or "ReadInConfig(" in function
        for match in _SET.finditer(function)
    )


class Beginning(NamedTuple):
    """What the names of all variables begin with that set keys, where a program of koanf says so,
    and the `sign` in a name that stands for `.`, '' where that is unknown."""

    prefix: str
    sign: str
    path: str
    line: int


@query
def beginnings(facts: Facts) -> tuple[Beginning, ...]:
    """By file and line."""
    found: list[Beginning] = []
    for path in sources(facts, ".go"):
        uses_koanf = any(it.name.startswith(_OF_KOANF) for it in facts.code[path].imports)
        text = facts.tree.text(path) if uses_koanf else ""
        for call in _PROVIDED.finditer(text):
            line = text.count("\n", 0, call.start()) + 1
            body = text[call.end() : call.end() + _CALLBACK_MAX].partition("\n}")[0]
            signs = set(_FOR_DOTS.findall(body))
            found.append(Beginning(call[1], signs.pop() if len(signs) == 1 else "", path, line))
    return tuple(found)


def _prefix(text: str) -> str | None:
    """None for one that the file does not tell."""
    call = _PREFIX.search(text)
    if call is None or call[1]:
        return call[1] if call else ""
    held = _TEXT.match(text, _held(text, call[2])) if call[2] else None
    return held[1] if held else None


def _replaced(text: str) -> tuple[str, ...] | None:
    call = _REPLACED.search(text)
    if call is None:
        return ()
    start = call.start(1) if call[1] == "strings" else _held(text, call[1])
    replacer = _REPLACER.match(text, start)
    return tuple(_TEXT.findall(replacer[1])) if replacer else None


def _held(text: str, name: str) -> int:
    """Where the text begins that a name is given, its end where none is."""
    held = re.search(_HELD % re.escape(name), text)
    return held.end() if held else len(text)


@query
def _prefixes(facts: Facts) -> tuple[tuple[str, str], ...]:
    """What stands before all names, and between the parts of a key: '' where the keys in others
    have no variables."""
    calls = (call for path in sources(facts, ".rs") for call in _prefixed(facts, path))
    # In the package config, what parts a key parts the prefix from it, too.
    made = {(f"{name}{sign or '_'}" if parts else name, sign or "") for parts, name, sign in calls}
    return tuple(sorted(made))


@query
def _dotnet(facts: Facts) -> _Rule | None:
    """The rule of a program that adds the variables with one prefix, or begins with what adds all;
    None where that is not certain."""
    texts = [facts.tree.text(path) for path in sources(facts, ".cs")]
    calls = [call for text in texts for call in _OF_DOTNET.finditer(text)]
    prefixes = {call[1] or "" if call[2] == ")" else None for call in calls if call[2]}
    if not prefixes and calls and not any("Sources.Clear(" in text for text in texts):
        prefixes = {""}
    prefix = prefixes.pop() if len(prefixes) == 1 else None
    return None if prefix is None else _Rule(prefix.upper(), (":", "__"), DOTNET)


@of_file
def _prefixed(facts: Facts, path: str) -> list[tuple[str | None, str, str | None]]:
    return [(call[1], call[2], call[3]) for call in _PREFIXED.finditer(facts.tree.text(path))]


def by_framework(facts: Facts, path: str, name: str, type_: str) -> tuple[str, str] | None:
    """The framework that takes a key of a file from a variable, too, and that; None for no such,
    and for one that holds several values."""
    rule = None
    if path.endswith(".cs"):
        rule = _dotnet(facts) if ":" in name else None
    elif path.endswith((".java", ".kt")):
        rule = _of_jvm(facts, path, Setting(name, "key", 0, type=type_))
    elif name.startswith("spring.") and path.rpartition("/")[2].startswith("application"):
        rule = _Rule("", ("-", "", ".", "_"), SPRING_BOOT)
    names = rule.names(name) if rule and not _SEVERAL.search(type_) else ()
    return (rule.framework, names[0]) if rule and names else None


def _of_jvm(facts: Facts, path: str, setting: Setting) -> _Rule | None:
    """The rule for a key that a file declares or injects; None for others."""
    names = [it.name for it in facts.code[path].imports]
    rules = [it for package, it in _OF_JVM.items() if any(n.startswith(package) for n in names)]
    if not rules or "Map<" in setting.type:
        return None
    is_injected = setting.type or f"{{{setting.name}" in facts.tree.text(path)
    framework, sign = rules[0]
    return _Rule("", ("-", sign, ".", "_"), framework) if is_injected else None
