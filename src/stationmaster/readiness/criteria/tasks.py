"""The criteria of the pillar Task Discovery."""

from __future__ import annotations

import re

from stationmaster.catalogue import lists
from stationmaster.readiness.evidence.prose import front_matter, plain
from stationmaster.readiness.facts import Facts, Verdict, fails, passes, skips, unknown
from stationmaster.reading.projects.model import Place
from stationmaster.repos.yaml_nodes import Node, get, texts

_PROMPTS_MIN = 2
_DEFAULTS_UNSEEN = "an owner's default one cannot be seen offline"
_FAMILY = re.compile(r"^([A-Za-z][\w .]{0,30}?)\s?(?:[:/]|-\s|\s-)\s?\S")
_FAMILIES_MIN = 2
_TRIAGED_MIN = 0.7
_UNTOUCHED_DAYS_MAX = 365


def pr_templates(facts: Facts) -> Verdict:
    """Passes where a template for changes is inherited, or has two prompts or 300 characters."""
    paths = facts.tree.glob(*lists.files("change-template"), any_case=True)
    for path in paths:
        content = facts.tree.text(path)
        if (
            len(lists.pattern("template-prompt").findall(content)) >= _PROMPTS_MIN
            or len(plain(content)) > 300
        ):
            return passes("There is a template for changes", path)
    if facts.inherits("PULL_REQUEST_TEMPLATE"):
        return passes("The owner's default template applies")
    if paths:
        return fails(f"The template has fewer than {_PROMPTS_MIN} prompts", paths[0])
    looked = "There is no template for pull or merge requests in .github, .gitlab, docs or the root"
    return fails(looked if facts.hosting else f"{looked}; {_DEFAULTS_UNSEEN}")


def issue_labeling_system(facts: Facts) -> Verdict:
    """Passes where templates assign labels, or the host's labels have two families."""
    assigned: dict[str, Place] = {}
    for path in facts.tree.glob(*lists.files("issue-template"), any_case=True):
        for label in _labels_of_template(facts, path):
            assigned.setdefault(label, Place(path))
    if own := sorted(assigned.keys() - lists.words("default-label")):
        return passes(f"Templates assign labels such as {own[0][:40]!r}", assigned[own[0]])
    if len(assigned) >= _FAMILIES_MIN:
        return passes("Templates assign the default labels", *assigned.values(), weak=True)
    names = None if facts.hosting is None else facts.hosting.label_names
    if names is None:
        return fails(
            "No file defines labels and no issue template gives one; labels that are made by hand "
            "cannot be seen offline"
        )
    families = {match[1].lower() for name in names if (match := _FAMILY.match(name))}
    own = [name for name in names if name.lower() not in lists.words("default-label")]
    if len(families) >= _FAMILIES_MIN:
        return passes(f"The labels have the families {', '.join(sorted(families)[:5])}")
    return fails(
        f"The {len(own)} labels other than the defaults have fewer than {_FAMILIES_MIN} families"
    )


def _labels_of_template(facts: Facts, path: str) -> list[str]:
    """Of a form, or of the front matter of a page."""
    content = facts.tree.text(path)
    front: Node | None
    if path.endswith((".yml", ".yaml")):
        front = facts.tree.yaml(path)
    elif content.startswith("---\n"):
        front, _ = front_matter(content)
    else:
        return []
    return [
        part.strip()
        for name in texts(get(front, "labels"))
        for part in name.split(",")
        if part.strip()
    ]


def backlog_health(facts: Facts) -> Verdict:
    """Passes where 70 % of the open issues have a label and title, half changed within 365 days."""
    hosting = facts.hosting
    if hosting is None or hosting.open_issues is None:
        return unknown("Open issues were not read from the hosting service")
    if hosting.has_issues is False:
        return skips("Issues are turned off at the hosting service")
    if hosting.open_issues == 0:
        return skips("There are no open issues")
    share, days = hosting.triaged_share, hosting.untouched_days_median
    if share is None or days is None:
        return unknown("The hosting service did not list the open issues")
    sentence = (
        f"{share:.0%} of the open issues have a label and a title,"
        f" and half of them are untouched for {days:.0f} days"
    )
    if share >= _TRIAGED_MIN and days < _UNTOUCHED_DAYS_MAX:
        return passes(sentence)
    return fails(f"{sentence}; 70 % and under {_UNTOUCHED_DAYS_MAX} days are required")
