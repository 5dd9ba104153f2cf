"""Coverage as an organization shows its people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stationmaster.access import privacy
from stationmaster.analytics.coverage import report as coverage
from stationmaster.analytics.coverage.report import Coverage, PersonCoverage
from stationmaster.analytics.model import DayRange
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.settings import Settings


class ListedCoverage(NamedTuple):
    """The coverage of an organization, and those of its people who are listed."""

    coverage: Coverage
    people: Sequence[PersonCoverage]


def read(db: Database, settings: Settings, org: OrgId, days: DayRange) -> ListedCoverage:
    """What may be shown of an organization's coverage.

    Without names only programs are listed, and their keys: when a person was last seen, next to
    when a key was last used, would identify a pseudonym. Where no person is shown alone, agents and
    versions are listed that enough people send, and no figures of days, which may be one person's.
    """
    people = coverage.everyone(db, org)
    summary = coverage.read(db, org, days, people, settings.expected_agent_names)
    policy = privacy.of(db, org)
    if policy.is_named:
        return ListedCoverage(summary, people)
    programs = [person for person in people if person.kind == "service"]
    keys = [key for key in summary.silent_keys if key.principal_kind == "service"]
    summary = summary._replace(silent_keys=keys)
    if policy.is_grouped:
        people_of = coverage.people_of_unknown(db, org)
        unknown = [
            unknown_version
            for unknown_version in summary.unknown
            if people_of.get((unknown_version.agent, unknown_version.version), policy.minimum)
            >= policy.minimum
        ]
        summary = _grouped(summary._replace(unknown=unknown), policy.minimum)
    return ListedCoverage(summary, programs)


def _grouped(summary: Coverage, minimum: int) -> Coverage:
    agents = [agent for agent in summary.agents if agent.people == 0 or agent.people >= minimum]
    shown_agents = {agent.agent for agent in agents}
    states = summary.people_by_state
    is_shown = states is not None and all(n == 0 or n >= minimum for n in states.values())
    return summary._replace(
        people_by_state=states if is_shown else None,
        agents=agents,
        unknown=[drop for drop in summary.unknown if drop.agent in shown_agents],
        drops=[],
        quality=[],
        comparisons=[],
    )
