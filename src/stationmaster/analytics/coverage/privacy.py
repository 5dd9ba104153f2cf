"""Coverage as an organization shows its people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stationmaster.access import privacy
from stationmaster.analytics.coverage import report as coverage
from stationmaster.analytics.coverage.report import Coverage, Person
from stationmaster.analytics.model import DayRange
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.settings import Settings


class Shown(NamedTuple):
    """The coverage of an organization, and those of its people who are listed."""

    coverage: Coverage
    people: Sequence[Person]


def read(db: Database, settings: Settings, org: OrgId, asked: DayRange) -> Shown:
    """What may be shown of an organization's coverage.

    Without names only programs are listed, and their keys: when somebody was last seen, beside when
    a key was last used, would tell who a pseudonym is. Where nobody is shown alone, agents and
    versions are listed that enough people send, and no figures of days, which may be one person's.
    """
    people = coverage.everyone(db, org)
    found = coverage.read(db, org, asked, people, settings.expected_agent_names)
    policy = privacy.of(db, org)
    if policy.is_named:
        return Shown(found, people)
    programs = [person for person in people if person.kind == "service"]
    keys = [key for key in found.silent_keys if key.principal_kind == "service"]
    found = found._replace(silent_keys=keys)
    if policy.is_grouped:
        people_of = coverage.people_of_unknown(db, org)
        unknown = [
            each
            for each in found.unknown
            if people_of.get((each.agent, each.version), policy.minimum) >= policy.minimum
        ]
        found = _grouped(found._replace(unknown=unknown), policy.minimum)
    return Shown(found, programs)


def _grouped(found: Coverage, minimum: int) -> Coverage:
    agents = [agent for agent in found.agents if agent.people == 0 or agent.people >= minimum]
    told = {agent.agent for agent in agents}
    states = found.people_by_state
    is_told = states is not None and all(n == 0 or n >= minimum for n in states.values())
    return found._replace(
        people_by_state=states if is_told else None,
        agents=agents,
        unknown=[each for each in found.unknown if each.agent in told],
        drops=[],
        quality=[],
        comparisons=[],
    )
