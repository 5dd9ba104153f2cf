"""The variables of the environment that figment and config, which read settings of Rust, take keys
from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from stationmaster.wiki.facts.model import Facts, query

_FIGMENT = re.compile(r"\bEnv::prefixed\(\s*\"(\w{1,60})\"\s*\)")
_CONFIG = re.compile(r"\bEnvironment::with_prefix\(\s*\"(\w{1,60})\"\s*\)")
_SPLIT = re.compile(r"\s*\.(?:split|separator)\(\s*\"([^\"\n]{1,5})\"\s*\)")
_KEY = re.compile(r"[A-Za-z]\w{0,100}(?:\.\w{1,100}){0,8}")


class _Rule(NamedTuple):
    """What stands before all names, and between the parts of a key: '' where the keys in others
    have no variables."""

    prefix: str
    sign: str


def variable(facts: Facts, key: str) -> str:
    """What a key can be set by, where the repository has one rule alone; '' for nothing."""
    rules = _rules(facts)
    if len(rules) != 1 or not _KEY.fullmatch(key):
        return ""
    prefix, sign = rules[0]
    return f"{prefix}{key.replace('.', sign)}".upper() if sign or "." not in key else ""


@query
def _rules(facts: Facts) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(set(_found(facts))))


def _found(facts: Facts) -> Iterator[_Rule]:
    for path in facts.code:
        if not path.endswith(".rs") or facts.records[path].file_class != "source":
            continue
        text = facts.tree.text(path)
        for call in _FIGMENT.finditer(text):
            split = _SPLIT.match(text, call.end())
            yield _Rule(call[1], split[1] if split else "")
        for call in _CONFIG.finditer(text):
            split = _SPLIT.match(text, call.end())
            # What parts a key parts the prefix from it, too.
            yield _Rule(f"{call[1]}{split[1] if split else '_'}", split[1] if split else "")
