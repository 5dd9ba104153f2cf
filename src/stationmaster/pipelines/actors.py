"""Who can start a workflow, its jobs and its steps, and which test is in between.

`outsiders` start a run that has the repository's secrets or its token's rights, `contributors` one
from a fork that has neither, `members` need rights of their own. A condition is a gate where it
cannot be true for an outsider, whatever else holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from stationmaster.catalogue.untrusted import untrusted
from stationmaster.pipelines import expressions
from stationmaster.pipelines.expressions import Binary, Call, Expression, Literal as Text, Reference
from stationmaster.pipelines.model import SCRIPT_MAX, EventKind, Step, Trigger

Who = Literal["outsiders", "contributors", "members"]

GITHUB_LIKE = frozenset({"github-actions", "gitea-actions", "forgejo-actions"})

_OUTSIDERS: frozenset[EventKind] = frozenset({"pull_request_target", "comment", "issue"})
_WITHOUT_RIGHTS = frozenset({"pull_request_review", "pull_request_review_comment"})
"""Events that are no `pull_request` and yet run without secrets for forks."""
_CHAIN = "workflow_run"
_AUTHOR = re.compile(
    r"author_association|\.permissions?\b|collaborator|github\.actor$|github\.triggering_actor$"
    r"|sender\.(?:login|type|id)$|user\.(?:login|type|id)$|\bactor(?:_id)?$|role_name"
)
_SAME_REPOSITORY = re.compile(r"head\.repo(?:\.|$)|head_repository")
_LABEL = re.compile(r"github\.event\.(?:label|assignee|milestone)\.")
_RUN_EVENT = "github.event.workflow_run.event"
_EVENT_NAME = "github.event_name"
_ACTION = "github.event.action"
_ANYONE = frozenset({"none", "contributor", "first_time_contributor", "first_timer", "mannequin"})
_OUTSIDE_RUNS = frozenset({"pull_request", "pull_request_target", "issue_comment", "issues"})
_CHECK = re.compile(
    r"(?i)collaborator|permission|author_association|membership|/teams?/|team[-_]?member|codeowner"
    r"|trusted|allow(?:ed)?[-_ ]?(?:list|users?)|maintainers?\b|is[-_]?fork|same[-_]?repo"
)
_REFUSAL = re.compile(
    r"(?i)collaborators?/|getCollaboratorPermission|author_association|memberships?\b|checkMembership"
    r"|(?:actor|user|repository|write)[-_ ]permissions?|check[-_]?(?:run|user|access|actor|member)"
    r"|authori[sz]|ok[-_]to[-_]test"
)
_FAILS = re.compile(
    r"\bexit\s+[1-9]|setFailed|process\.exit|\bthrow\b|gh run cancel|cancelWorkflowRun"
)
_RESULT = re.compile(r"(?:steps|needs)\.([A-Za-z0-9_-]+)\.(?:outputs\.|result|outcome|conclusion)")


def of_trigger(provider: str, trigger: Trigger) -> Who:
    """Who can start a workflow by one trigger: outsiders, contributors or members."""
    if trigger.event in _WITHOUT_RIGHTS or trigger.kind == "pull_request":
        return "contributors"
    if trigger.event == _CHAIN and provider in GITHUB_LIKE:
        return "outsiders"
    if trigger.kind not in _OUTSIDERS:
        return "members"
    open_types = untrusted().open_types.get(trigger.event)
    if trigger.types and open_types is not None and not open_types & set(trigger.types):
        return "members"
    return "outsiders"


def gate(
    conditions: Sequence[str], triggers: Sequence[Trigger], checks: Iterable[str] = ()
) -> str | None:
    """The condition that keeps outsiders from what these triggers start, or None.

    `conditions` all have to be true; `checks` are ids of jobs and steps that look who it is.
    """
    checked = frozenset(checks)
    kept = [
        next(
            (condition for condition in conditions if not _opens(condition, trigger, checked)), None
        )
        for trigger in triggers
    ]
    return kept[0] if kept and None not in kept else None


def looks_who(text: str) -> bool:
    """Does a script or the name of an action look like a check of who the actor is?"""
    return _CHECK.search(text) is not None


def refuses(step: Step) -> bool:
    """Does a step fail for an actor without rights? An action or a called workflow with the name of
    such a check counts; a script has to check and to fail."""
    if step.uses is not None:
        named = f"{step.uses.partition('@')[0]} {step.name or ''}"
        if _REFUSAL.search(named):
            return True
    texts = (step.name or "", step.script or "", step.inputs.get("script", ""))
    whole = "\n".join(text[:SCRIPT_MAX] for text in texts)
    return _REFUSAL.search(whole) is not None and _FAILS.search(whole) is not None


def _opens(condition: str, trigger: Trigger, checks: frozenset[str]) -> bool:
    """Can an outsider make it true with this event?"""

    def may_start(atom: Expression) -> bool | None:
        if isinstance(atom, Binary):
            return _compared(atom, trigger, checks)
        if isinstance(atom, Call) and atom.name == "contains":
            return _contained(atom)
        if isinstance(atom, Reference):
            if _SAME_REPOSITORY.search(atom.path) and atom.path.endswith(".fork"):
                return True
            return _answered(atom.path, checks)
        return None

    return expressions.truth(expressions.parse(condition), may_start) is not False


def _compared(atom: Binary, trigger: Trigger, checks: frozenset[str]) -> bool | None:
    sides = (atom.left, atom.right)
    path = next((side.path for side in sides if isinstance(side, Reference)), None)
    word = next((side.text.lower() for side in sides if isinstance(side, Text)), None)
    if atom.operator not in ("==", "!="):
        return None
    both = " ".join(name for side in sides for name in expressions.references(side))
    is_equal = _equal(path, word, both, trigger, checks)
    if is_equal is None:
        return None
    return is_equal if atom.operator == "==" else not is_equal


def _equal(
    path: str | None, word: str | None, both: str, trigger: Trigger, checks: frozenset[str]
) -> bool | None:
    """Whether the two sides are the same for an outsider; None: either way."""
    if path is None:
        return None
    if path == _EVENT_NAME and word is not None:
        return word == trigger.event
    if path == _ACTION and word is not None:
        open_types = untrusted().open_types.get(trigger.event)
        return False if open_types is not None and word not in open_types else None
    if path == _RUN_EVENT and word is not None:
        return None if word in _OUTSIDE_RUNS else False
    if path.endswith("author_association") and word in _ANYONE:
        return None
    if _SAME_REPOSITORY.search(both):
        # A fork is another repository, and `fork` is true of it.
        return word == "true" if path.endswith(".fork") else False
    if _LABEL.search(path) or _AUTHOR.search(path):
        return False
    return _answered(path, checks) if word not in ("false", "", "0", "none", "failure") else None


def _contained(call: Call) -> bool | None:
    """A list of people or of their relations contains no outsiders unless it is stated; and what
    they write has no label."""
    names = " ".join(expressions.references(call))
    if names.endswith(".labels.*.name"):
        return False
    if not _AUTHOR.search(names):
        return None
    listed = " ".join(_texts(call)).lower()
    return None if any(re.search(rf"\b{name}\b", listed) for name in _ANYONE) else False


def _texts(call: Call) -> Iterable[str]:
    left: list[Expression] = list(call.arguments)
    while left:
        expression = left.pop()
        if isinstance(expression, Text):
            yield expression.text
        elif isinstance(expression, Call):
            left += expression.arguments


def _answered(path: str, checks: frozenset[str]) -> bool | None:
    match = _RESULT.match(path)
    return False if match is not None and match[1] in checks else None
