"""Which file a fix adds or changes, by criterion and ecosystem."""

from __future__ import annotations

from collections.abc import Iterable

from stationmaster.readiness.catalogue import CRITERIA

_JVM = frozenset({"maven", "gradle", "scala"})
_GITHUB = {
    "ci": ".github/workflows/ci.yml",
    "review": ".github/workflows/review.yml",
    "owners": ".github/CODEOWNERS",
    "security": ".github/workflows/codeql.yml",
    "updates": ".github/dependabot.yml",
    "issues": ".github/ISSUE_TEMPLATE/bug.yml",
    "changes": ".github/pull_request_template.md",
    "labels": ".github/labels.yml",
    "release": ".github/workflows/release.yml",
    "notes": ".github/release.yml",
    "workflows": ".github/workflows/",
    "agent": ".github/workflows/agent.yml",
    "triage": ".github/workflows/triage.yml",
}
"""Files of a hosting service by the names that rows of criteria have for them."""
_GITLAB = {
    **dict.fromkeys(_GITHUB, ".gitlab-ci.yml"),
    "owners": "CODEOWNERS",
    "updates": "renovate.json",
    "issues": ".gitlab/issue_templates/bug.md",
    "labels": ".gitlab/labels.yml",
    "changes": ".gitlab/merge_request_templates/default.md",
}


def files(criterion: str, ecosystems: Iterable[str], host: str) -> list[str]:
    """What to add or change, one for each ecosystem that differs; [] where it depends too much on
    the repository. `host` is the name of the hosting service in its address."""
    change = CRITERIA[criterion].change
    if isinstance(change, str) and change in CRITERIA:
        change = CRITERIA[change].change
    names = _GITLAB if "gitlab" in host else _GITHUB
    if isinstance(change, str):
        paths = [change]
    else:
        jvm = change.get("jvm", "")
        paths = [
            change.get(ecosystem, jvm if ecosystem in _JVM else "") for ecosystem in ecosystems
        ]
    return [path.format(**names) for path in dict.fromkeys(paths) if path]
