"""The variables of the environment that viper, which reads settings of Go, takes keys from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from stationmaster.reading.code.languages.inflections import snake
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.links import users_of_outside
from stationmaster.wiki.facts.model import Facts, query

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


class _Rule(NamedTuple):
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


class Variables(NamedTuple):
    """`names` of the variable that a key may be set by; with `is_certain`, the only one."""

    names: tuple[str, ...] = ()
    is_certain: bool = True


def variables(facts: Facts, path: str, key: str) -> Variables:
    """What a key that a file reads can be set by."""
    rules = _rules(facts)
    rule = rules.get(path) or rules.get(folder_of(path)) or rules.get("")
    if rule is None:
        return Variables()
    return Variables(tuple(rule.variables(key)), rule.replaced is not None)


@query
def _rules(facts: Facts) -> Mapping[str, _Rule]:
    """By file, by folder, and as '' for all where the repository has one alone."""
    rules: dict[str, _Rule] = {}
    for path, _ in users_of_outside(facts, PACKAGE):
        text = facts.tree.text(path)
        if _AUTOMATIC.search(text) and not path.endswith("_test.go"):
            prefix = _prefix(text)
            if prefix is not None:
                rules[path] = _Rule(prefix, _replaced(text))
    by_folder = {folder_of(path): rule for path, rule in rules.items()}
    found = {**by_folder, **rules}
    if len(set(rules.values())) == 1:
        found[""] = next(iter(rules.values()))
    return found


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
