"""Records of decisions: folders of numbered documents with a status; and how people work together:
guides, templates, statements on contributions by agents. All of it is quoted, and none of it an
order to the reader. Who owns which files."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.reading.projects.documents import is_agent_file
from stationmaster.reading.projects.paths import folder_of
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.texts.documents import chosen, title_of
from stationmaster.wiki.text.inline import Place

_PATHS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
RULES_MAX = 400
_OWNER = re.compile(r"@[\w.-]{1,80}(?:/[\w.-]{1,100})*")
_SECTION = re.compile(r"\^?\[[^\]]{1,100}\](?:\[\d+\])?\s*(.*)")

_LIKE = expressions("conventions")

_FOLDERS = frozenset({"adr", "adrs", "decisions", "decision-records", "architecture-decisions",
                      "architecture_decisions", "decision", "rfcs", "rfc"})  # fmt: skip
_NAME = re.compile(
    r"(?i)(?:adr|rfc)?[-_ ]?(\d{4}-\d\d-\d\d|\d{1,8})[-_. ].{1,200}\.(?:md|rst|adoc)"
)
_NUMBER = re.compile(r"(?i)^(?:adr|rfc)?[-_ #]*\d{1,8}\s*[:.\-—–]?\s*")
_STATUS = re.compile(r"(?i)^[ \t>*_#|-]*status[*_]*[ \t]*[:|]?[*_]*[ \t]*(.{0,80})$", re.MULTILINE)
_RULE = re.compile(r"\|[ :|-]+$")
_WORDS = ("superseded", "deprecated", "rejected", "accepted", "approved", "proposed", "draft",
          "implemented", "withdrawn", "active", "provisional", "obsolete", "done")  # fmt: skip
_HEAD = 6_000


class Decision(msgspec.Struct, frozen=True):
    """`number` is a date where files are named by dates; `status` is one of a few words in lower
    case, '' where the document states none."""

    number: str
    title: str
    status: str
    place: Place
    status_at: Place | None


@query
def decisions(facts: Facts) -> tuple[Decision, ...]:
    """By folder and number."""
    records = []
    for document in chosen(facts):
        folder, _, name = document.path.rpartition("/")
        match = _NAME.fullmatch(name)
        if (
            "template" in name.lower()
            or match is None
            or folder.rpartition("/")[2].lower() not in _FOLDERS
        ):
            continue
        title = _NUMBER.sub("", title_of(document))
        status, line = _status(document.text[:_HEAD])
        records.append(
            Decision(match[1], title or name, status, Place(document.path),
                     Place(document.path, line) if line else None)
        )  # fmt: skip
    return tuple(sorted(records, key=lambda it: (
        folder_of(it.place.path), int(it.number.replace("-", "")), it.title
    )))  # fmt: skip


def _status(text: str) -> tuple[str, int | None]:
    """The first word of a status, on its line, the next that has one, or in the row of a table."""
    for match in _STATUS.finditer(text):
        below = text[match.end() :].lstrip().split("\n", 3)
        is_head = below[1:] and _RULE.match(below[0])
        after = [match[1], *(below[1:2] if is_head else below[:1])]
        for words in after:
            statuses = [word for word in _WORDS if re.search(rf"(?i)\b{word}\b", words)]
            if statuses:
                return statuses[0], text.count("\n", 0, match.start()) + 1
    return "", None


@query
def contribution_guides(facts: Facts) -> tuple[str, ...]:
    """Documents for who contributes, by path."""
    return tuple(path for path in facts.records if _LIKE["guides"].fullmatch(path))


@query
def templates(facts: Facts) -> tuple[str, ...]:
    """Of requests and issues, by path."""
    paths = filter(_LIKE["templates"].fullmatch, facts.records)
    return tuple(path for path in paths if not is_test(path))


class Policy(msgspec.Struct, frozen=True):
    """The repository's statement on contributions by agents; `text` are its own words."""

    policy: str
    text: str
    place: Place | None


@query
def policy(facts: Facts) -> Policy:
    stated = facts.tree.project.policy
    place = Place(stated.place.path, stated.place.line) if stated.place else None
    return Policy(stated.policy, stated.text or "", place)


@query
def instructions(facts: Facts) -> tuple[str, ...]:
    """The files at the root that tell agents how to work on the repository, by path."""
    return tuple(it for it in facts.records if "/" not in it and is_agent_file(it))


class Rule(msgspec.Struct, frozen=True):
    """`files` is how many files the pattern names; later rules win over earlier ones. `others`
    counts owners that are named only by address."""

    pattern: str
    owners: tuple[str, ...]
    others: int
    files: int
    place: Place


@query
def rules(facts: Facts) -> tuple[Rule, ...]:
    """In the order of the file that counts."""
    path = next((it for it in _PATHS if it in facts.records), None)
    if path is None:
        return ()
    rows: list[Rule] = []
    inherited: Sequence[str] = ()
    for number, line in enumerate(facts.tree.text(path).split("\n"), start=1):
        words = line.partition(" #")[0].strip()
        if not words or words.startswith("#") or len(rows) >= RULES_MAX:
            continue
        named = _SECTION.fullmatch(words)
        if named is not None:
            inherited = named[1].split()
            continue
        pattern, *names = re.split(r"(?<!\\)\s+", words)
        owned_by = names or list(inherited)
        owners = tuple(it for it in owned_by if _OWNER.fullmatch(it))
        others, files = len(owned_by) - len(owners), _count(facts, pattern)
        rows.append(Rule(pattern, owners, others, files, Place(path, number)))
    return tuple(rows)


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
