"""From a commit to a report: judged by every criterion, with what the repository overrides."""

from __future__ import annotations

import msgspec

from stationmaster import __version__, ids
from stationmaster.pipelines import scan as pipelines
from stationmaster.readiness import catalogue
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.hosting import Hosting
from stationmaster.readiness.judging import child, evaluate, findings, overrides
from stationmaster.readiness.model import App, Content, Policy, Report
from stationmaster.reading.projects import reading as projects
from stationmaster.repos import files, history, reading

CRITERIA_VERSION = 5
"""Grows whenever the same commit may be judged differently: differences between reports then state
that, and repositories are evaluated again."""
_encode = msgspec.json.Encoder(order="deterministic").encode


def make(
    snapshot: reading.Snapshot,
    origin: child.Origin,
    *,
    as_of: int | None = None,
    hosting: Hosting | None = None,
    with_extras: bool = False,
) -> Report:
    """The report on a commit. The same commit and arguments give the same bytes.

    `as_of` is UTC milliseconds, the time of the commit by default; it is the report's time as well,
    and its id is computed from its content. Raises what reading a snapshot raises.
    """
    as_of = snapshot.committed_at if as_of is None else as_of
    facts = read(snapshot, as_of=as_of, hosting=hosting)
    judgements = evaluate.evaluate(
        facts, (catalogue.CRITERIA if with_extras else catalogue.CORE).values()
    )
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
        agent_policy=_policy(facts),
        overrides=replaced or None,
        evidence={
            name: [findings.finding(facts, *verdict) for verdict in judgement.verdicts]
            for name, judgement in judgements.items()
        },
    )
    return Report.of(content, ids.uuid_of(_encode(content)), as_of)


def _policy(facts: Facts) -> Policy:
    policy = facts.project.policy
    place = None if policy.place is None else str(policy.place)
    return Policy(policy.policy, place, policy.text)


BYTES_MAX = 256 * 2**20
"""Of all files that one evaluation reads."""


def read(snapshot: reading.Snapshot, *, as_of: int, hosting: Hosting | None = None) -> Facts:
    """What is known of a commit. Raises what reading a snapshot raises."""
    commit = files.Files(snapshot, BYTES_MAX)
    workflows = pipelines.live(pipelines.scan(commit))
    project = projects.read(commit, workflows)
    return Facts(commit, project, workflows, history.read(snapshot), hosting, as_of)
