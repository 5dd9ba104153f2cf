"""Coverage as an organization shows its people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stationmaster.access import privacy
from stationmaster.access.privacy import Policy
from stationmaster.analytics import coverage
from stationmaster.analytics.coverage import Coverage, Person, Sender
from stationmaster.analytics.model import DayRange
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake.senders import OTHERS, UNNAMED
from stationmaster.settings import Settings


class Shown(NamedTuple):
    """The coverage of an organization, and its people by the ids that are shown."""

    coverage: Coverage
    people: Sequence[Person]
    policy: Policy


def read(db: Database, settings: Settings, org: OrgId, asked: DayRange) -> Shown:
    """What may be shown of an organization's coverage.

    Where nobody is shown alone only programs are listed, agents that enough people send, and no
    figures of days, on which it may have been one of them. A key leads to its person, so without
    names only those of programs are told.
    """
    people = coverage.everyone(db, org)
    found = coverage.read(db, org, asked, people, settings.expected_agent_names)
    policy = privacy.of(db, org)
    if policy.is_named:
        return Shown(found, people, policy)
    programs = [each for each in people if each.kind == "service"]
    keys = [key for key in found.silent_keys if key.principal_kind == "service"]
    found = found._replace(silent_keys=keys)
    if policy.is_grouped:
        return Shown(_grouped(found, policy.minimum), programs, policy)
    persons = [each for each in people if each.kind != "service"]
    others = [each._replace(id=policy.pseudonym(each.id), email=None) for each in persons]
    return Shown(found, sorted(programs + others, key=lambda each: each.id), policy)


def with_senders(
    db: Database, org: OrgId, people: Sequence[Person], policy: Policy
) -> list[Person]:
    """Some of the people with what they send with."""
    found = coverage.with_senders(db, org, people)
    if policy.is_named:
        return found
    return [
        each._replace(senders=[_renamed(sender, policy) for sender in each.senders])
        for each in found
    ]


def _renamed(sender: Sender, policy: Policy) -> Sender:
    """Under another name of the machine, as its own was shown beside the person's before."""
    if sender.machine in (UNNAMED, OTHERS):
        return sender
    return sender._replace(machine=policy.pseudonym(sender.machine))


def _grouped(found: Coverage, minimum: int) -> Coverage:
    agents = [each for each in found.agents if each.people == 0 or each.people >= minimum]
    told = {each.agent for each in agents}
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
