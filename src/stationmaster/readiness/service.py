"""What is done with readiness reports: accept, list, read, delete, and their results.

Reports are served as the bytes that were made of them when they arrived.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from stationmaster import clock, errors, ids
from stationmaster.access import audit
from stationmaster.access.model import Caller
from stationmaster.access.store import lock_organization
from stationmaster.db.engine import Database
from stationmaster.readiness import advice, catalogue, levels, store
from stationmaster.readiness.difference import Difference, between
from stationmaster.readiness.model import (
    REPORT_BYTES_MAX,
    ApplicationVerdict,
    Content,
    Latest,
    Level,
    Report,
    Scores,
    scores_of,
)
from stationmaster.repos import addresses

_Evidence = dict[str, list[ApplicationVerdict]]

COURSE_MAX = 200
AGAIN_MS = 7 * 86_400_000
UPLOADED, DELETED = "readiness_report_uploaded", "readiness_report_deleted"
_REPO_ID = re.compile(r"repo_[a-z2-7]{16}")
_encode = msgspec.json.Encoder(order="deterministic").encode
_decode = msgspec.json.Decoder(Report).decode


class HistoryPoint(NamedTuple):
    """One report of a repository's history. `criteria_version` is the edition that judged."""

    report_id: str
    created_at: int
    commit_hash: str | None
    criteria_version: int | None
    standing: levels.LevelResult


class Summary(NamedTuple):
    """The result of an organization: its level, None without reports, and repositories by level."""

    level: Level | None
    repositories: dict[Level, int]


def upload(
    db: Database, caller: Caller, content: Content, report_id: str | None
) -> tuple[bytes, bool]:
    """Accept a report; its JSON, and whether it is new.

    With an id of the client's own, the same content again is the report that is there already.
    Raises Conflict for other content under that id, BadRequest for an address that is none,
    TooLarge for a report over its limit.
    """
    content = msgspec.structs.replace(content, repo_url=addresses.normalise(content.repo_url))
    return _keep(db, caller.org_id, content, report_id or ids.new_uuid(), by=caller)


def keep(db: Database, org: ids.OrgId, made: Content) -> bool:
    """Store what an evaluation of our own has found, unless the newest report had the same result
    less than AGAIN_MS of commits ago: a busy repository moves many times a day.
    """
    newest_bodies = store.bodies(db, org, addresses.id_of(org, made.repo_url), None, 1)
    if newest_bodies and _is_same_content(_decode(newest_bodies[0]), made):
        return False
    content = Content(**{name: getattr(made, name) for name in Content.__struct_fields__})
    _keep(db, org, content, ids.new_uuid(), by=None)
    return True


def _is_same_content(before: Report, made: Content) -> bool:
    if abs((made.as_of or 0) - (before.as_of or 0)) >= AGAIN_MS:
        return False
    return _verdicts(before) == _verdicts(made)


def _verdicts(content: Content) -> object:
    """The results of a report, without its words and places, which every commit moves."""
    scores = {name: (e.numerator, e.denominator, e.state) for name, e in content.report.items()}
    policy = None if content.agent_policy is None else content.agent_policy.policy
    decided = {name: override.reason for name, override in (content.overrides or {}).items()}
    return scores, list(content.apps), content.criteria_version, decided, policy


def _keep(
    db: Database, org: ids.OrgId, content: Content, report_id: str, *, by: Caller | None
) -> tuple[bytes, bool]:
    repo = ids.repository_of_url(org, content.repo_url)
    digest = blake2b(_encode(content), digest_size=16).digest()
    report = Report.of(content, report_id, clock.now_ms())
    body = encoded(report)
    if len(body) > REPORT_BYTES_MAX:
        raise errors.TooLarge(
            f"A report takes at most {REPORT_BYTES_MAX} bytes; this one {len(body)}.",
            metadata={"size_max": REPORT_BYTES_MAX},
        )
    with db.transaction() as connection:
        lock_organization(connection, org)
        kept = store.report(connection, org, report.report_id)
        if kept is not None:
            if kept.digest != digest:
                raise errors.Conflict("Another report has this id.", code="report_exists")
            return kept.body, False
        row = {
            "report_id": report.report_id,
            "repo_id": repo,
            "created_at": report.created_at,
            "repo_url": report.repo_url,
            "digest": digest,
            "scores": _encode(scores_of(report.report)),
            "body": body,
        }
        store.insert_report(connection, org, row)
        audit.note(
            connection, by or org, UPLOADED, "readiness_report", report.report_id, repo_id=repo
        )
    return body, True


def delete(db: Database, caller: Caller, report_id: str) -> None:
    """Remove a report permanently. Raises NotFound."""
    org = caller.org_id
    with db.transaction() as connection:
        lock_organization(connection, org)
        report = store.report(connection, org, report_id)
        if report is None:
            raise _unknown()
        store.delete_report(connection, org, report_id, report.repo_id)
        audit.note(
            connection, caller, DELETED, "readiness_report", report_id, repo_id=report.repo_id
        )


def reports(
    db: Database, org: ids.OrgId, *, repository: str | None, start_after: str | None, count: int
) -> list[bytes]:
    """At most `count` reports, newest first, those older than the report `start_after`.

    `repository` is an id or any spelling of an address; of an unknown one there are none. Raises
    BadRequest where `start_after` is no report of the organization.
    """
    repo = None if repository is None else _repository(org, repository)
    after = _position(db, org, start_after)
    if repository is not None and repo is None:
        return []
    return store.bodies(db, org, repo, after, count)


def get(db: Database, org: ids.OrgId, report_id: str) -> bytes:
    """Raises NotFound."""
    body = store.body(db, org, report_id)
    if body is None:
        raise _unknown()
    return body


def read(db: Database, org: ids.OrgId, report_id: str) -> Report:
    """A report, to look into. Raises NotFound."""
    return _decode(get(db, org, report_id))


def difference(db: Database, org: ids.OrgId, report_id: str, since: str | None) -> Difference:
    """What changed since another report, the one before on the same repository by default.

    Raises NotFound where either is missing.
    """
    after = read(db, org, report_id)
    if since is None:
        since = store.before(db, org, addresses.id_of(org, after.repo_url), report_id)
        if since is None:
            raise errors.NotFound(
                "This repository has no earlier readiness report.", code="no_earlier"
            )
    return between(read(db, org, since), after)


def history(
    db: Database, org: ids.OrgId, repo: ids.RepoId, *, start_after: str | None, count: int
) -> list[HistoryPoint]:
    """The results of at most `count` reports on a repository, newest first.

    Raises NotFound for a repository without reports, BadRequest where `start_after` is none.
    """
    after = _position(db, org, start_after)
    bodies = store.bodies(db, org, repo, after, count)
    if not bodies and after is None:
        raise errors.NotFound("This repository has no readiness report.")
    return [
        HistoryPoint(
            report_id=report.report_id,
            created_at=report.created_at,
            commit_hash=report.commit_hash,
            criteria_version=report.criteria_version,
            standing=levels.standing(scores_of(report.report)),
        )
        for report in map(_decode, bodies)
    ]


def newest(db: Database, org: ids.OrgId, repo: ids.RepoId) -> Report:
    """The newest report on a repository. Raises NotFound."""
    newest_bodies = store.bodies(db, org, repo, None, 1)
    if not newest_bodies:
        raise errors.NotFound("This repository has no readiness report.")
    return _decode(newest_bodies[0])


def standing(db: Database, org: ids.OrgId, report_id: str) -> levels.LevelResult:
    """The level and pass rates of one report. Raises NotFound."""
    scores = store.scores(db, org, report_id)
    if scores is None:
        raise _unknown()
    return levels.standing(scores)


def repositories(db: Database, org: ids.OrgId, *, after: str, count: int) -> list[Latest]:
    """The newest report of at most `count` repositories with an id greater than `after`, by id."""
    return store.latest(db, org, after, count)


def latest(db: Database, org: ids.OrgId, repo: ids.RepoId) -> Latest | None:
    """The newest report of one repository, None where it has none."""
    return store.latest_of(db, org, repo)


def level_before(db: Database, org: ids.OrgId, latest: Latest) -> int | None:
    """The level of a repository before its newest report; None where that is the first."""
    previous = store.before(db, org, ids.RepoId(latest.repo_id), latest.report_id)
    scores = None if previous is None else store.scores(db, org, previous)
    return None if scores is None else levels.level_of(scores)


def scores_at(db: Database, org: ids.OrgId, repo: ids.RepoId, moment: int) -> Scores | None:
    """The result of a repository's newest report at a time, or the first one since."""
    return store.scores_at(db, org, repo, moment)


def course(
    db: Database, org: ids.OrgId, repo: ids.RepoId, since: int
) -> list[tuple[int, levels.LevelResult]]:
    """When the reports on a repository after a time were made (UTC ms), and their results,
    oldest first; at most the newest COURSE_MAX."""
    rows = store.all_scores(db, org, repo, since, COURSE_MAX)
    return [(at, levels.standing(scores)) for at, scores in rows]


def summary(db: Database, org: ids.OrgId) -> Summary:
    """The level of an organization and its repositories by level, of their newest reports."""
    all_levels = [levels.level_of(scores) for scores in store.all_latest_scores(db, org)]
    return Summary(levels.organization_level(all_levels), dict(Counter(all_levels)))


def _position(db: Database, org: ids.OrgId, report_id: str | None) -> store.Position | None:
    if report_id is None:
        return None
    position = store.position(db, org, report_id)
    if position is None:
        raise errors.BadRequest(
            "startAfter must be the id of a report of this organization.",
            code="invalid_start_after",
        )
    return position


def _repository(org: ids.OrgId, text: str) -> ids.RepoId | None:
    if _REPO_ID.fullmatch(text):
        return ids.RepoId(text)
    try:
        return addresses.id_of(org, text)
    except errors.BadRequest:
        return None


def _unknown() -> errors.NotFound:
    return errors.NotFound("There is no such report.")


def encoded(report: Report) -> bytes:
    """All of it where that takes at most REPORT_BYTES_MAX; else without excerpts, else of the
    evidence only which applications fail, else none of it. What remains may be larger."""
    body = _encode(report)
    reductions: tuple[Callable[[Report, _Evidence], _Evidence], ...] = (_without_excerpts, _failing)
    for reduce in reductions:
        if report.evidence is None or len(body) <= REPORT_BYTES_MAX:
            return body
        reduced = reduce(report, report.evidence)
        body = _encode(msgspec.structs.replace(report, evidence=reduced))
    if len(body) <= REPORT_BYTES_MAX:
        return body
    return _encode(msgspec.structs.replace(report, evidence=None))


def _without_excerpts(_: Report, evidence: _Evidence) -> _Evidence:
    return {
        name: [
            msgspec.structs.replace(
                finding,
                places=[msgspec.structs.replace(spot, excerpt=None) for spot in finding.places],
            )
            for finding in findings
        ]
        for name, findings in evidence.items()
    }


def _failing(report: Report, evidence: _Evidence) -> _Evidence:
    """Without criteria that every application of their kinds fails: those need not be named."""
    kept = {}
    for name, findings in evidence.items():
        failing = [finding for finding in findings if finding.state == "fail"]
        criterion = catalogue.CRITERIA.get(name)
        if criterion is None or len(failing) != len(advice.applications_for(report, criterion)):
            kept[name] = [msgspec.structs.replace(finding, places=[]) for finding in failing]
    return kept
