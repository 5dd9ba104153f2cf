"""Who owns which files, as a CODEOWNERS file says: teams and accounts, never people's addresses."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.inline import Place

_PATHS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
RULES_MAX = 400
_OWNER = re.compile(r"@[\w.-]{1,80}(?:/[\w.-]{1,100})*")
_SECTION = re.compile(r"\^?\[([^\]]{1,100})\](?:\[\d+\])?\s*(.*)")


class Rule(msgspec.Struct, frozen=True):
    """`files` is how many files the pattern names; later rules win over earlier ones. `others`
    counts owners that are told by address only."""

    pattern: str
    owners: tuple[str, ...]
    others: int
    files: int
    section: str
    place: Place


@query
def rules(facts: Facts) -> tuple[Rule, ...]:
    """In the order of the file that counts."""
    path = next((each for each in _PATHS if each in facts.records), None)
    if path is None:
        return ()
    found: list[Rule] = []
    section = ""
    inherited: Sequence[str] = ()
    for number, line in enumerate(facts.tree.text(path).split("\n"), start=1):
        words = line.partition(" #")[0].strip()
        if not words or words.startswith("#") or len(found) >= RULES_MAX:
            continue
        named = _SECTION.fullmatch(words)
        if named is not None:
            section, inherited = named[1], named[2].split()
            continue
        pattern, *said = re.split(r"(?<!\\)\s+", words)
        told = said or list(inherited)
        owners = tuple(each for each in told if _OWNER.fullmatch(each))
        found.append(Rule(pattern, owners, len(told) - len(owners), _count(facts, pattern), section,
                          Place(path, number)))  # fmt: skip
    return tuple(found)


def _count(facts: Facts, pattern: str) -> int:
    return len(facts.tree.glob(*globs_of(pattern), everywhere=True))


def globs_of(pattern: str) -> list[str]:
    """What a line of gitignore's language names, as patterns of paths: a file, or all of a
    folder."""
    plain = pattern.replace("\\ ", " ").replace("\\", "")
    is_anchored = "/" in plain.rstrip("/")
    name = plain.strip("/")
    if name in ("", "*", "**"):
        return ["**"]
    base = name if is_anchored or name.startswith("**/") else f"**/{name}"
    if plain.endswith("/"):
        return [f"{base}/**"]
    if base.endswith(("/*", "*.*")) or re.search(r"\*\.\w+$", base):
        return [base]
    return [base, f"{base}/**"]
