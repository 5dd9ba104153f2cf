"""Comments in a file that accept what a rule finds on their line, or on the line below.

Ours are `stationmaster: ignore[rule, …]`; those that another scanner has in the wild count too, and
are told as upstream's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

OURS = "stationmaster: ignore"
UPSTREAM = "suppressed upstream"

_COMMENT = re.compile(
    r"(?:#|//)[^\n]{0,500}?\b(?P<tool>stationmaster|zizmor):\s{0,9}ignore\[(?P<rules>[^\]]{0,500})\]"
)
_LINE_MAX = 2_000
ZIZMOR: dict[str, frozenset[str]] = {
    "template-injection": frozenset({"script-injection", "agent-prompt-injection"}),
    "dangerous-triggers": frozenset({"untrusted-checkout", "agent-write-no-gate"}),
    "excessive-permissions": frozenset({"permissions-default", "permissions-broad"}),
    "unpinned-uses": frozenset({"unpinned-third-party"}),
    "unpinned-images": frozenset({"unpinned-image"}),
    "artipacked": frozenset({"credential-persisted"}),
    "self-hosted-runner": frozenset({"self-hosted-on-pr"}),
    "hardcoded-container-credentials": frozenset({"hardcoded-secret"}),
    "insecure-commands": frozenset({"insecure-commands"}),
    "bot-conditions": frozenset({"bot-check-spoofable"}),
    "unsound-condition": frozenset({"always-true-condition"}),
    "cache-poisoning": frozenset({"cache-in-release"}),
    "concurrency-limits": frozenset({"no-concurrency"}),
    "overprovisioned-secrets": frozenset({"secrets-to-untrusted"}),
    "secrets-inherit": frozenset({"secrets-to-untrusted"}),
    "github-env": frozenset({"script-injection"}),
}
"""Which of our rules speak of what theirs do."""


class Suppression(NamedTuple):
    """Whose comment accepts a finding, and the line of the comment."""

    by: str
    line: int


def of(rule: str, lines: Sequence[str], number: int) -> Suppression | None:
    """What accepts a rule's finding on a line, counted from 1; None where nothing does."""
    for index in (number - 1, number - 2):
        if not 0 <= index < len(lines):
            continue
        text = lines[index][:_LINE_MAX]
        if index == number - 2 and not text.lstrip().startswith(("#", "//")):
            continue
        match = _COMMENT.search(text)
        if match is not None and _accepts(match, rule):
            by = OURS if match["tool"] == "stationmaster" else UPSTREAM
            return Suppression(by, index + 1)
    return None


def _accepts(comment: re.Match[str], rule: str) -> bool:
    named = {part.strip() for part in comment["rules"].split(",")}
    if comment["tool"] == "stationmaster":
        return rule in named
    return any(rule in ZIZMOR.get(each, ()) for each in named)
