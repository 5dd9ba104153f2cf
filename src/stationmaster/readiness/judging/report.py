"""From a commit to a report: judged by every criterion, with what the repository overrides."""

from __future__ import annotations

import msgspec

from stationmaster import __version__, ids
from stationmaster.catalogue import lists
from stationmaster.catalogue.secrets import forms
from stationmaster.pipelines import scan as pipelines
from stationmaster.pipelines.model import line
from stationmaster.readiness.catalogue import CATALOGUE, CRITERIA
from stationmaster.readiness.facts import Facts, Verdict
from stationmaster.readiness.hosting import Hosting
from stationmaster.readiness.judging import overrides
from stationmaster.readiness.judging.child import Origin
from stationmaster.readiness.judging.evaluate import evaluate
from stationmaster.readiness.model import App, Content, Finding, Policy, Report, Spot
from stationmaster.reading.projects import credentials, reading as projects
from stationmaster.reading.projects.model import Place, Project
from stationmaster.repos import history
from stationmaster.repos.files import Files
from stationmaster.repos.reading import Snapshot

PLACES_MAX = 5
"""Of one verdict."""
EXCERPT_MAX = 160
_MASK = "***"


def finding(facts: Facts, application: str | None, verdict: Verdict) -> Finding:
    """A verdict as reports have it, with at most PLACES_MAX places."""
    return Finding(
        verdict.outcome,
        line(verdict.sentence, 500),
        application,
        verdict.is_weak,
        [_spot(facts, place, verdict.sentence) for place in verdict.evidence[:PLACES_MAX]],
    )


def _spot(facts: Facts, place: Place, why: str) -> Spot:
    excerpt = None
    if place.line is not None and not credentials.never_opened(place.path):
        lines = facts.tree.text(place.path).split("\n", place.line)
        excerpt = _quoted(lines[place.line - 1]) if 0 < place.line <= len(lines) else None
    return Spot(line(place.path, 500), line(why, 500), place.line, excerpt or None)


def _quoted(text: str) -> str:
    """Its beginning, without what looks like a credential."""
    text = text[:2_000]
    for form in forms():
        for match in form.all_in(text):
            text = text.replace(match[1], _MASK)
    return line(lists.pattern("assigned-secret").sub(rf"\1\2{_MASK}", text), EXCERPT_MAX)


CRITERIA_VERSION = 4
"""Grows whenever the same commit may be judged otherwise: differences between reports then say so,
and repositories are evaluated again."""
_encode = msgspec.json.Encoder(order="deterministic").encode


def make(
    snapshot: Snapshot,
    origin: Origin,
    *,
    as_of: int | None = None,
    hosting: Hosting | None = None,
    with_extras: bool = False,
) -> Report:
    """The report on a commit. The same commit and arguments give the same bytes.

    `as_of` is UTC milliseconds, the time of the commit by default; it is the report's time as well,
    and its id is computed from what it says. Raises what reading a snapshot raises.
    """
    as_of = snapshot.committed_at if as_of is None else as_of
    facts = read(snapshot, as_of=as_of, hosting=hosting)
    judgements = evaluate(facts, (CRITERIA if with_extras else CATALOGUE).values())
    evaluations = {name: judgement.evaluation for name, judgement in judgements.items()}
    decided, replaced = overrides.apply(evaluations, facts.project.settings.readiness)
    content = Content(
        repo_url=origin.url,
        apps={
            app.path: App(app.description, sorted(app.kinds), sorted(app.ecosystems))
            for app in facts.project.apps
        },
        report=decided,
        commit_hash=snapshot.commit,
        branch=origin.branch,
        has_local_changes=origin.has_local_changes,
        has_non_remote_commits=origin.has_non_remote_commits,
        agent_version=__version__,
        criteria_version=CRITERIA_VERSION,
        as_of=as_of,
        agent_policy=_policy(facts.project),
        overrides=replaced or None,
        evidence={
            name: [finding(facts, *verdict) for verdict in judgement.verdicts]
            for name, judgement in judgements.items()
        },
    )
    return Report.of(content, ids.uuid_of(_encode(content)), as_of)


def _policy(project: Project) -> Policy:
    policy = project.policy
    place = None if policy.place is None else str(policy.place)
    return Policy(policy.policy, place, policy.text)


BYTES_MAX = 256 * 2**20
"""Of all files that one evaluation reads."""


def read(snapshot: Snapshot, *, as_of: int, hosting: Hosting | None = None) -> Facts:
    """What is known of a commit. Raises what reading a snapshot raises."""
    files = Files(snapshot, BYTES_MAX)
    workflows = pipelines.live(pipelines.scan(files))
    project = projects.read(files, workflows)
    return Facts(files, project, workflows, history.read(snapshot), hosting, as_of)
