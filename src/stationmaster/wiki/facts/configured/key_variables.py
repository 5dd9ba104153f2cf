"""The variables of the environment that keys can be set by: of viper (Go), of figment and config
(Rust), of Spring, Quarkus and Micronaut."""

from __future__ import annotations

import re
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
_AUTOMATIC = re.compile(r"\.AutomaticEnv\(\s*\)")
_PREFIX = re.compile(r"\.SetEnvPrefix\(\s*(?:\"(\w{1,60})\"|(\w{1,60}))?")
_REPLACED = re.compile(r"EnvKeyReplacer\(\s*(\w{0,60})")
_REPLACER = re.compile(r"strings\.NewReplacer\(((?:\s*\"[^\"\n]{0,9}\"\s*,?){2,20})\)")
_HELD = r"\b%s(?:\s+string)?\s*:?=\s*"
"""Before what a name of the file is given."""
_TEXT = re.compile(r"\"([^\"]*)\"")
_NO_NAME = re.compile(r"[^A-Z0-9]+")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,99}")

_PREFIXED = re.compile(
    r"\b(?:Env::prefixed|(Environment::with_prefix))\(\s*\"(\w{1,60})\"\s*\)"
    r"(?:\s*\.(?:split|separator)\(\s*\"([^\"\n]{1,5})\"\s*\))?"
)
_RUST_KEY = re.compile(r"[A-Za-z]\w{0,100}(?:\.\w{1,100}){0,8}")

_OF_JVM = code.table("jvm.settings.variables", dict[str, str])
"""What becomes of a hyphen in a name, by the package that fills settings."""
_SET = re.compile(r"(?m)^\t\w{1,60}\.Set\(\"([\w.-]{1,100})\",")
"""In no block of its function."""
_JVM_KEY = re.compile(r"[A-Za-z][\w.\-]{0,200}")


def variables(
    facts: Facts,
    reads: Mapping[tuple[SettingKind, str], list[Read]],
    told: Set[str],
) -> Mapping[str, str]:
    """The variables that keys in programs of Go, Rust, Java and Kotlin can be set by, by key. One
    that is not certain needs a file that names it: `told` are those of examples and containers.
    """
    by_key = {}
    of_jvm = {}
    for file in interfaces(facts):
        for it in file.settings if file.path.endswith((".go", ".java", ".kt")) else ():
            if it.kind == "key" and file.path.endswith(".go"):
                name = told_elsewhere(facts, file.path, it.name)
                by_key[name] = _of_viper(facts, file.path, name)
            elif it.kind == "key":
                of_jvm[it.name] = _of_jvm(facts, file.path, it)
    unsure = {it for made in by_key.values() if not made.is_certain for it in made.names}
    sure = {it for made in by_key.values() if made.is_certain for it in made.names}
    sure |= {it for it in unsure if it in told or ("env", it) in reads}
    sure |= mentioned(facts, unsure - sure, {}).keys()
    chosen = {key: [it for it in made.names if it in sure] for key, made in by_key.items()}
    of_rust = {
        name: _of_rust(facts, name)
        for (kind, name), own in reads.items()
        if kind == "key" and own[0][0].endswith(".rs")
    }
    of_viper = {key: names[0] for key, names in chosen.items() if names}
    return {**of_jvm, **of_rust, **of_viper, **dict(_of_flags(facts))}


def _of_flags(facts: Facts) -> Iterator[tuple[str, str]]:
    """The keys and variables that set one flag of urfave/cli."""
    for file in interfaces(facts):
        if file.path.endswith(".go") and "altsrc.New" in facts.tree.text(file.path):
            by_line = {it.line: it.name for it in file.settings if it.kind == "env"}
            keys = (it for it in file.settings if it.kind == "key" and it.line in by_line)
            yield from ((it.name, by_line[it.line]) for it in keys)


class _Viper(NamedTuple):
    """How a file of the program has names of variables made of keys. `replaced` is None where the
    program computes it."""

    prefix: str
    replaced: tuple[str, ...] | None

    def variables(self, key: str) -> Iterator[str]:
        """Those that a shell can set. Of what is computed, forms that are usual."""
        if self.replaced is None:
            yield from (self._whole(_NO_NAME.sub("_", it.upper())) for it in (snake(key), key))
            return
        name = self._whole(key.upper())
        for old, new in zip(self.replaced[::2], self.replaced[1::2], strict=False):
            name = name.replace(old, new)
        if _VARIABLE.fullmatch(name):
            yield name

    def _whole(self, name: str) -> str:
        return f"{self.prefix}_{name}".upper() if self.prefix else name


class _Names(NamedTuple):
    """`names` of the variable that a key may be set by; with `is_certain`, the only one."""

    names: tuple[str, ...] = ()
    is_certain: bool = True


def _of_viper(facts: Facts, path: str, key: str) -> _Names:
    """What a key that a file reads can be set by."""
    rules = _vipers(facts)
    rule = rules.get(path) or rules.get(folder_of(path)) or rules.get("")
    if rule is None:
        return _Names()
    return _Names(tuple(rule.variables(key)), rule.replaced is not None)


@query
def _vipers(facts: Facts) -> Mapping[str, _Viper]:
    """By file, by folder, and as '' for all where the repository has one alone."""
    rules: dict[str, _Viper] = {}
    for path, _ in users_of_outside(facts, PACKAGE):
        text = facts.tree.text(path)
        if _AUTOMATIC.search(text) and not path.endswith("_test.go"):
            prefix = _prefix(text)
            if prefix is not None:
                rules[path] = _Viper(prefix, _replaced(text))
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


def _of_rust(facts: Facts, key: str) -> str:
    """What a key can be set by, where the repository has one rule alone; '' for nothing."""
    rules = _prefixes(facts)
    if len(rules) != 1 or not _RUST_KEY.fullmatch(key):
        return ""
    prefix, sign = rules[0]
    return f"{prefix}{key.replace('.', sign)}".upper() if sign or "." not in key else ""


@query
def _prefixes(facts: Facts) -> tuple[tuple[str, str], ...]:
    """What stands before all names, and between the parts of a key: '' where the keys in others
    have no variables."""
    calls = (call for path in sources(facts, ".rs") for call in _prefixed(facts, path))
    # In the package config, what parts a key parts the prefix from it, too.
    made = {(f"{name}{sign or '_'}" if parts else name, sign or "") for parts, name, sign in calls}
    return tuple(sorted(made))


@of_file
def _prefixed(facts: Facts, path: str) -> list[tuple[str | None, str, str | None]]:
    return [(call[1], call[2], call[3]) for call in _PREFIXED.finditer(facts.tree.text(path))]


def _of_jvm(facts: Facts, path: str, setting: Setting) -> str:
    """The variable that a key which a file declares or injects can be set by; '' for none."""
    names = [it.name for it in facts.code[path].imports]
    signs = [
        sign for package, sign in _OF_JVM.items() if any(name.startswith(package) for name in names)
    ]
    if not signs or "Map<" in setting.type or not _JVM_KEY.fullmatch(setting.name):
        return ""
    is_injected = setting.type or f"{{{setting.name}" in facts.tree.text(path)
    return setting.name.replace("-", signs[0]).replace(".", "_").upper() if is_injected else ""
