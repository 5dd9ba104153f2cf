"""What starts a pipeline of GitLab, as rules, `only` and templates of workflows say it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.pipelines.model import Trigger, line
from stationmaster.pipelines.providers.gitlab.config import Config
from stationmaster.pipelines.triggers import kind
from stationmaster.repos.yaml_nodes import Node, get, items, text, texts

_RULES_MAX = 1_000
_LIST_MAX = 100
_CONDITION_MAX = 10_000
_SOURCE = re.compile(r"CI_PIPELINE_SOURCE\s*(?:==|=~)\s*(\"[^\"]*\"|'[^']*'|/[^/]*/)")
_REQUEST = re.compile(r"CI_MERGE_REQUEST_I?ID\b(?!\s*==\s*null)")
_TAG = re.compile(r"CI_COMMIT_TAG\b(?!\s*==\s*null)")
_BRANCH = re.compile(
    r"CI_COMMIT_(?:BRANCH|REF_NAME)\b(?:\s*(==|=~)\s*(\"[^\"]{0,200}\"|'[^']{0,200}'|/[^/]{0,200}/"
    r"|\$\w{1,100}))?(?!\s*(?:==\s*null|!))"
)
_REQUEST_EVENT = "merge_request_event"
_WORD = re.compile(r"[a-z_]{2,}")
_REFS = frozenset(
    {"api", "branches", "chat", "external", "external_pull_requests", "merge_requests"}
    | {"pipelines", "pushes", "schedules", "tags", "triggers", "web"}
)
"""Words of `only` that name events; any other is a branch."""
_WORKFLOWS = {
    "Workflows/MergeRequest-Pipelines.gitlab-ci.yml": (_REQUEST_EVENT, "push", "tag"),
    "Workflows/Branch-Pipelines.gitlab-ci.yml": ("push", "tag"),
}
"""Templates of the provider that say what starts a pipeline."""

Event = tuple[str, str | None]
"""An event, and the branch that it is for, if one is named."""


def triggers(config: Config, names: list[str]) -> list[Trigger]:
    """The events that rules and `only` name, those of the whole pipeline first.

    Without a word of it, a push of a branch or a tag starts a job.
    """
    whole = config.field("workflow", "rules")
    found = list(_events(whole))
    for include in config.includes:
        found += [(event, None) for event in _WORKFLOWS.get(include.location, ())]
    is_limited = whole is not None or bool(found)
    jobs = [config.job(name) for name in names]
    rules = {id(fields["rules"]): fields["rules"] for fields in jobs if "rules" in fields}
    for rule in rules.values():  # Once where jobs share them.
        found += _events(rule)
    for fields in jobs:
        found += _refs(fields.get("only"))
    is_open = any("rules" not in fields and "only" not in fields for fields in jobs)
    if is_open and not is_limited:
        found += [("push", None), ("tag", None)]
    return _together(found)


def _together(found: list[Event]) -> list[Trigger]:
    """One trigger for each event, with its branches, unless it is for all of them somewhere."""
    branches: dict[str, dict[str, None] | None] = {}
    for event, branch in found:
        known = branches.setdefault(event, {})
        if branch is None:
            branches[event] = None
        elif known is not None:
            known[line(branch)] = None
    return [
        Trigger(line(event), kind(event), branches=list(names or ())[:_LIST_MAX])
        for event, names in list(branches.items())[:_LIST_MAX]
    ]


def _refs(only: Node | None) -> Iterator[Event]:
    for word in texts(get(only, "refs") or only):
        if word in _REFS:
            yield word, None
        else:
            yield "push", word


def _events(rules: Node | None) -> Iterator[Event]:
    for rule in items(rules)[:_RULES_MAX]:
        if text(get(rule, "when")) == "never":
            continue
        condition = (text(get(rule, "if")) or "")[:_CONDITION_MAX]
        for compared in _SOURCE.findall(condition):
            for word in _WORD.findall(compared):
                yield word, None
        if _REQUEST.search(condition):
            yield _REQUEST_EVENT, None
        if _TAG.search(condition):
            yield "tag", None
        for match in _BRANCH.finditer(condition):
            yield "push", None if match[2] is None else match[2].strip("\"'")
