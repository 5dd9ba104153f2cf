"""The criteria of the pillar Task Discovery."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stationmaster.readiness.evidence.prose import front_matter, plain
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import (
    OfApp,
    OfRepository,
    Verdict,
    fails,
    passes,
    skips,
    unknown,
)
from stationmaster.reading.projects.model import Place
from stationmaster.repos.yaml_nodes import Node, get, items, texts

_FORGES = "{.github,.gitlab,.gitea,.forgejo}"
_ISSUE_TEMPLATES = (
    _FORGES + "/issue_template/*.{md,markdown,yml,yaml}",
    "{,docs/}issue_template/*.{md,markdown,yml,yaml}",
    ".gitlab/issue_templates/*.md",
    "{,docs/," + _FORGES + "/}issue_template{,.md,.markdown,.txt,.yml,.yaml}",
)
_CHANGE_TEMPLATES = (
    "{,docs/," + _FORGES + "/}{pull_request_template,pull-request-template}{,.md,.markdown,.txt}",
    "{,docs/," + _FORGES + "/}pull_request_template/*.{md,markdown,txt}",
    ".gitlab/merge_request_templates/*.md",
    "{.azuredevops,.vsts}/pull_request_template{.md,.txt,/**/*.md}",
)
_NO_TEMPLATE = frozenset({"config.yml", "config.yaml"})
_PROMPT = re.compile(
    r"^\s{0,12}(?:#{1,6}\s+\S|[-*+]\s+\[[ xX]?\]|\*\*[^*\n]{2,200}\*\*|[-*+\d]\S{0,3}\s+\S)"
    r"|<!--|\?\s*+(?:-->\s*+)?$|:\s*$",
    re.M,
)
_PROMPTS_MIN = 2
_DEFAULTS_UNSEEN = "an owner's default one cannot be seen offline"
_LABEL_FILES = (
    ".github/labels.{yml,yaml,json,toml}",
    ".github/label{s,}/*.{yml,yaml,json}",
    "{,.github/}labels.{yml,yaml,json}",
    ".github/labeler.{yml,yaml}",
    ".github/labeler/*.{yml,yaml}",
    ".prow/labels.yaml",
    "label_sync/labels.yaml",
)
_DEFAULT_LABELS = frozenset(
    {
        "bug",
        "documentation",
        "duplicate",
        "enhancement",
        "good first issue",
        "help wanted",
        "invalid",
        "question",
        "wontfix",
    }
)
"""What GitHub gives to every new repository."""
_FAMILY = re.compile(r"^([A-Za-z][\w .]{0,30}?)\s?(?:[:/]|-\s|\s-)\s?\S")
_FAMILIES_MIN = 2
_TRIAGED_MIN = 0.7
_UNTOUCHED_DAYS_MAX = 365
_NO_ISSUES = "The hosting service has issues switched off"


def issue_templates(facts: Facts) -> Verdict:
    """Passes where issue templates are tracked or the owner's apply; skipped without issues."""
    if _has_no_issues(facts):
        return skips(_NO_ISSUES)
    paths = [
        path
        for path in facts.tree.glob(*_ISSUE_TEMPLATES, any_case=True)
        if path.rpartition("/")[2].lower() not in _NO_TEMPLATE and facts.tree.text(path).strip()
    ]
    if paths:
        return passes("There are issue templates", *map(Place, paths))
    if facts.inherits("ISSUE_TEMPLATE"):
        return passes("The owner's default issue templates apply")
    looked = "There is no issue template or form in .github/ISSUE_TEMPLATE or the like"
    return fails(looked if facts.hosting else f"{looked}; {_DEFAULTS_UNSEEN}")


def change_templates(facts: Facts) -> Verdict:
    """Passes where a template for changes is inherited, or has two prompts or 300 characters."""
    found = facts.tree.glob(*_CHANGE_TEMPLATES, any_case=True)
    for path in found:
        content = facts.tree.text(path)
        if len(_PROMPT.findall(content)) >= _PROMPTS_MIN or len(plain(content)) > 300:
            return passes("There is a template for changes", Place(path))
    if facts.inherits("PULL_REQUEST_TEMPLATE"):
        return passes("The owner's default template applies")
    if found:
        return fails(f"The template has fewer than {_PROMPTS_MIN} prompts", Place(found[0]))
    looked = "There is no template for pull or merge requests in .github, .gitlab, docs or the root"
    return fails(looked if facts.hosting else f"{looked}; {_DEFAULTS_UNSEEN}")


def labels(facts: Facts) -> Verdict:
    """Passes where a file or template defines labels, or the host's labels have two families."""
    if _has_no_issues(facts):
        return skips(_NO_ISSUES)
    for path in facts.tree.glob(*_LABEL_FILES):
        if facts.tree.text(path).strip():
            return passes("A file defines the labels", Place(path))
    for path in facts.tree.glob(".github/settings.{yml,yaml}"):
        if items(get(facts.tree.yaml(path), "labels")):
            return passes("The settings define the labels", Place(path))
    given: dict[str, Place] = {}
    for path in facts.tree.glob(*_ISSUE_TEMPLATES, any_case=True):
        for label in _labels_of_template(facts, path):
            given.setdefault(label, Place(path))
    if own := sorted(given.keys() - _DEFAULT_LABELS):
        return passes(f"Templates give labels such as {own[0][:40]!r}", given[own[0]])
    if len(given) >= _FAMILIES_MIN:
        return passes("Templates give the default labels", *given.values(), weak=True)
    names = None if facts.hosting is None else facts.hosting.label_names
    if names is None:
        return fails(
            "No file defines labels and no issue template gives one; labels that are made by hand "
            "cannot be seen offline"
        )
    families = {match[1].lower() for name in names if (match := _FAMILY.match(name))}
    own = [name for name in names if name.lower() not in _DEFAULT_LABELS]
    if len(families) >= _FAMILIES_MIN:
        return passes(f"The labels have the families {', '.join(sorted(families)[:5])}")
    return fails(
        f"The {len(own)} labels besides the default ones have fewer than {_FAMILIES_MIN} families"
    )


def _labels_of_template(facts: Facts, path: str) -> list[str]:
    """Of a form, or of the front matter of a page."""
    content = facts.tree.text(path)
    told: Node | None
    if path.endswith((".yml", ".yaml")):
        told = facts.tree.yaml(path)
    elif content.startswith("---\n"):
        told, _ = front_matter(content)
    else:
        return []
    return [
        part.strip()
        for name in texts(get(told, "labels"))
        for part in name.split(",")
        if part.strip()
    ]


def backlog(facts: Facts) -> Verdict:
    """Passes where 70 % of the open issues have a label and title, half changed within 365 days."""
    hosting = facts.hosting
    if hosting is None or hosting.open_issues is None:
        return unknown("The hosting service was not asked for open issues")
    if hosting.has_issues is False:
        return skips(_NO_ISSUES)
    if hosting.open_issues == 0:
        return skips("There are no open issues")
    share, days = hosting.triaged_share, hosting.untouched_days_median
    if share is None or days is None:
        return unknown("The hosting service did not list the open issues")
    told = (
        f"{share:.0%} of the open issues have a label and a title,"
        f" and half of them are untouched for {days:.0f} days"
    )
    if share >= _TRIAGED_MIN and days < _UNTOUCHED_DAYS_MAX:
        return passes(told)
    return fails(f"{told}; 70 % and under {_UNTOUCHED_DAYS_MAX} days were looked for")


def _has_no_issues(facts: Facts) -> bool:
    return facts.hosting is not None and facts.hosting.has_issues is False


OF_APP: Mapping[str, OfApp] = {}
OF_REPOSITORY: Mapping[str, OfRepository] = {
    "issue_templates": issue_templates,
    "pr_templates": change_templates,
    "issue_labeling_system": labels,
    "backlog_health": backlog,
}
