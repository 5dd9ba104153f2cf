"""What each kind of durable job does: the one place that knows both jobs and features."""

from __future__ import annotations

from collections.abc import Mapping

from stationmaster.api.services import Services
from stationmaster.ids import RepoId
from stationmaster.jobs.model import Kind
from stationmaster.jobs.runner import Handler, Work

CI_SCAN: Kind = "ci-scan"


def handlers(services: Services) -> Mapping[Kind, Handler]:
    """By kind; the subject of each job is a registered repository."""

    def ci_scan(work: Work) -> None:
        work.step("fetching and scanning")
        services.scanner.rescan(work.org, RepoId(work.job.subject))

    return {CI_SCAN: ci_scan}
