"""How people work together on the repository: messages, branches, templates, and what it says of
contributions by agents. All of it is quoted or counted, and none of it an order to the reader."""

from __future__ import annotations

import re
from collections import Counter

import msgspec

from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.inline import Place

SUBJECTS_MAX = 500
SUBJECTS_MIN = 30
_CONVENTIONAL = re.compile(
    r"(build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test|deps)(\([^)]{1,60}\))?!?: \S",
    re.IGNORECASE,
)
_STYLES = (
    ("type: what", _CONVENTIONAL),
    ("[area] what", re.compile(r"\[[^\]]{1,40}\]\s*\S")),
    ("area: what", re.compile(r"[\w./*{},-]{1,40}(?:\([^)]{1,40}\))?: \S")),
    ("ISSUE-1 what", re.compile(r"\[?[A-Z]{2,10}-\d{1,6}\]?:? \S")),
    ("#1 what", re.compile(r"#\d{1,6}:? \S")),
    (":emoji: what", re.compile(r":\w{2,30}: ?\S")),
)
_NUMBERED = re.compile(r".*\(#\d{1,6}\)$")
_STYLE_SHARE_MIN = 0.6
_GUIDES = re.compile(
    r"(?i)(?:(?:\.github|\.gitlab|docs?)/)?(contributing|code[_-]of[_-]conduct|security|governance"
    r"|maintainers|support|developer[_-]certificate[_-]of[_-]origin|dco|cla|authors|styleguide"
    r"|style[_-]guide|release|releasing|development|hacking|agents|claude|gemini)(?:\.(?:md|rst|txt|adoc))?"
)
_TEMPLATES = re.compile(
    r"(?i)(?:(?:\.github|\.gitlab|docs)/)?(?:(pull_request_template|merge_request_templates?)"
    r"|(issue_template|issue_templates))(?:/[^/]{1,100})?(?:\.(?:md|ya?ml|txt))?"
)
_BOX = re.compile(r"^ ?[-*]\s*\[[ xX]?\]\s*(\S+ \S+ .{3,300})$")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_SIGNED = re.compile(r"(?i)signed-off-by|developer certificate of origin|\bDCO\b")
_AGREED = re.compile(r"(?i)contributor licen[cs]e agreement|\bCLA\b")
_CHANGELOGS = {
    ".changeset/config.json": "Changesets", "release-please-config.json": "Release Please",
    ".release-please-manifest.json": "Release Please", ".releaserc": "semantic-release",
    ".releaserc.json": "semantic-release", ".releaserc.yml": "semantic-release",
    "release.config.js": "semantic-release", "towncrier.toml": "towncrier",
    "cliff.toml": "git-cliff", ".chglog/config.yml": "git-chglog", ".goreleaser.yml": "GoReleaser",
    ".goreleaser.yaml": "GoReleaser", "changelogs/config.yaml": "antsibull-changelog",
    ".github/release.yml": "GitHub release notes", "beachball.config.js": "beachball",
}  # fmt: skip


class Messages(msgspec.Struct, frozen=True):
    """Of `count` subjects, how many follow the style that most do ('' where none does), and how
    many end with the number of a request."""

    count: int
    style: str
    styled: int
    numbered: int
    types: tuple[str, ...]


@query
def messages(facts: Facts) -> Messages | None:
    """Of the newest commits by people; None where there are too few."""
    subjects = [change.subject for change in facts.log.changes if not change.is_by_bot][
        :SUBJECTS_MAX
    ]
    if len(subjects) < SUBJECTS_MIN:
        return None
    style, styled = "", 0
    for name, pattern in _STYLES:
        count = sum(pattern.match(subject) is not None for subject in subjects)
        if count >= _STYLE_SHARE_MIN * len(subjects):
            style, styled = name, count
            break
    types = Counter(
        match[1].lower() for subject in subjects if (match := _CONVENTIONAL.match(subject))
    )
    usual = sorted(types, key=lambda name: (-types[name], name)) if style == "type: what" else []
    numbered = sum(_NUMBERED.fullmatch(subject) is not None for subject in subjects)
    return Messages(len(subjects), style, styled, numbered, tuple(usual[:8]))


@query
def guides(facts: Facts) -> tuple[str, ...]:
    """Documents for who contributes, by path."""
    return tuple(path for path in facts.records if _GUIDES.fullmatch(path))


@query
def templates(facts: Facts) -> tuple[str, ...]:
    """Of requests and issues, by path."""
    return tuple(path for path in facts.records if _TEMPLATES.fullmatch(path) and not is_test(path))


@query
def asked(facts: Facts) -> tuple[tuple[str, Place], ...]:
    """The boxes that whoever opens a request is to tick, as its template has them."""
    found = []
    for path in templates(facts):
        if "issue" in path.lower():
            continue
        text = _COMMENT.sub(lambda each: "\n" * each[0].count("\n"), facts.tree.text(path))
        for number, line in enumerate(text.split("\n")[:500], start=1):
            box = _BOX.match(line)
            if box is not None:
                found.append((box[1].strip(), Place(path, number)))
    return tuple(found[:30])


@query
def branches(facts: Facts) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Branches that workflows watch for pushes, and the workflows; those of most of them first."""
    found: dict[str, dict[str, None]] = {}
    for workflow in facts.pipelines.workflows:
        for each in workflow.facts.triggers:
            for branch in each.branches if each.kind == "push" else ():
                if not branch.startswith("!") and "$" not in branch:
                    found.setdefault(branch, {})[workflow.path] = None
    told = sorted(found.items(), key=lambda each: (-len(each[1]), each[0]))
    return tuple((branch, tuple(paths)) for branch, paths in told[:8])


@query
def signing(facts: Facts) -> tuple[tuple[str, Place], ...]:
    """What contributors have to sign, where a guide speaks of it."""
    found: dict[str, Place] = {}
    for path in guides(facts):
        for number, line in enumerate(facts.tree.text(path).split("\n")[:2_000], start=1):
            for name, pattern in (("sign-off", _SIGNED), ("agreement", _AGREED)):
                if pattern.search(line):
                    found.setdefault(name, Place(path, number))
    return tuple(sorted(found.items()))


@query
def changelogs(facts: Facts) -> tuple[tuple[str, Place], ...]:
    """Tools that keep the list of changes or number releases, and their files."""
    return tuple((tool, Place(path)) for path, tool in _CHANGELOGS.items() if path in facts.records)


class Policy(msgspec.Struct, frozen=True):
    """What the repository says of contributions by agents; `text` are its own words."""

    policy: str
    text: str
    place: Place | None


@query
def policy(facts: Facts) -> Policy:
    said = facts.tree.project.policy
    place = Place(said.place.path, said.place.line) if said.place else None
    return Policy(said.policy, said.text or "", place)
