"""The variables of the environment that viper, which reads settings of Go, takes keys from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.links import users_of_outside
from stationmaster.wiki.facts.model import Facts, query

PACKAGE = "github.com/spf13/viper"
_AUTOMATIC = re.compile(r"\.AutomaticEnv\(\s*\)")
_PREFIX = re.compile(r"\.SetEnvPrefix\(\s*\"(\w{1,60})\"\s*\)")
_REPLACED = re.compile(r"\.SetEnvKeyReplacer\(")
_REPLACER = re.compile(r"strings\.NewReplacer\(((?:\s*\"[^\"\n]{0,9}\"\s*,?){2,20})\)")
_TEXT = re.compile(r"\"([^\"]*)\"")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,99}")


class _Rule(NamedTuple):
    """How a file of the program has names of variables made of keys."""

    prefix: str
    replaced: tuple[str, ...]

    def variable(self, key: str) -> str:
        """'' for a key of which no name comes that a shell can set."""
        name = f"{self.prefix}_{key}".upper() if self.prefix else key.upper()
        for old, new in zip(self.replaced[::2], self.replaced[1::2], strict=False):
            name = name.replace(old, new)
        return name if _VARIABLE.fullmatch(name) else ""


def variable(facts: Facts, path: str, key: str) -> str:
    """The variable that a key which a file reads can be set by; '' where nothing makes one."""
    rules = _rules(facts)
    rule = rules.get(path) or rules.get(folder_of(path)) or rules.get("")
    return rule.variable(key) if rule else ""


@query
def _rules(facts: Facts) -> Mapping[str, _Rule]:
    """By file, by folder, and as '' for all where the repository has one alone."""
    rules: dict[str, _Rule] = {}
    for path, _ in users_of_outside(facts, PACKAGE):
        text = facts.tree.text(path)
        if _AUTOMATIC.search(text) and not path.endswith("_test.go"):
            prefix = _PREFIX.search(text)
            replacer = _REPLACER.search(text) if _REPLACED.search(text) else None
            replaced = tuple(_TEXT.findall(replacer[1])) if replacer else ()
            rules[path] = _Rule(prefix[1] if prefix else "", replaced)
    by_folder = {folder_of(path): rule for path, rule in rules.items()}
    found = {**by_folder, **rules}
    if len(set(rules.values())) == 1:
        found[""] = next(iter(rules.values()))
    return found
