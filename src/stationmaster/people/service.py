"""Merging people, taking it back, and giving members a team.

Each verb is one transaction with its audit record. It makes dirty the days on which a person was
active whom it concerns, so reports and what is used of limits follow with the next rollups.
"""

from __future__ import annotations

from sqlalchemy import Connection

from stationmaster import ids
from stationmaster.access import aliases, change_rules, privacy, store
from stationmaster.access.audit import note
from stationmaster.access.model import Caller, Member, name_of
from stationmaster.db.engine import Database
from stationmaster.errors import Conflict, NotFound
from stationmaster.lake.rollups.store import hold, mark_days_of
from stationmaster.people import reads


def merge(db: Database, org: ids.OrgId, user: str, into: str, *, by: Caller) -> reads.Person:
    """Count all that a user id did, and will do, for another person: an id or an e-mail address.

    Conflict for a member who is there (`is_member`), for a person without an address
    (`no_address`), and for one who is merged into this user (`circle`). Raises NotFound.
    """
    into = ids.user_of(org, into)
    reads.person(db, org, user)
    target = reads.person(db, org, into)
    if target.email is None:
        raise Conflict(
            "A person can only be merged into a person with an address.", code="no_address"
        )
    with db.transaction() as connection:
        _begin(connection, org, by)
        member = store.member(connection, org, ids.UserId(user))
        if member is not None and member.status != "removed":
            raise Conflict("A member stays a person; remove the member first.", code="is_member")
        before = aliases.directory(connection, org)
        person = before.person_of(target.user_id)
        if person == user:
            raise Conflict("That person is merged into this one.", code="circle")
        aliases.decide(connection, org, user, aliases.AliasStatement(person, target.email))
        _moved(connection, org, "person_merged", user, person, by)
    return reads.person(db, org, person)


def unmerge(db: Database, org: ids.OrgId, user: str, *, by: Caller) -> reads.Person:
    """Let a merged user id be its own again, whatever telemetry shows.

    Raises NotFound for one that is no alias.
    """
    with db.transaction() as connection:
        _begin(connection, org, by)
        alias = aliases.directory(connection, org).aliases().get(user)
        if alias is None:
            raise NotFound("There is no such alias.")
        aliases.decide(connection, org, user, aliases.AliasStatement(None, None))
        _moved(connection, org, "person_unmerged", user, alias.person_id, by)
    return reads.person(db, org, alias.person_id)


def set_team(
    db: Database, org: ids.OrgId, user: ids.UserId, team: str | None, *, by: Caller
) -> Member:
    """Put a member into a team, or with None leave that to telemetry; earlier days follow.

    Raises NotFound, and BadRequest for a name that is none.
    """
    name = None if team is None else name_of(team)
    with db.transaction() as connection:
        member = change_rules.member(connection, org, user)
        if name != member.team:
            _begin(connection, org, by)
            store.set_member(connection, org, user, team=name)
            mark_days_of(connection, org, [user])
            note(connection, by, "member_team_changed", "member", user, team=name)
        return change_rules.member(connection, org, user)


def _begin(connection: Connection, org: ids.OrgId, by: Caller) -> None:
    """Keep others from changing who is who, and from publishing what they have counted.

    Raises Forbidden for who may not do this where people are not shown by name.
    """
    change_rules.lock(connection, org)
    privacy.check_reader(privacy.within(connection, org), by)
    hold(connection, org)


def _moved(
    connection: Connection, org: ids.OrgId, what: str, user: str, person: str, by: Caller
) -> None:
    mark_days_of(connection, org, [user, person])
    note(connection, by, what, "person", user, person_id=person)
