"""The switches of remote access to computers."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictBool

from stationmaster.access.model import EMAIL_LENGTH_MAX, Caller
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Db, router
from stationmaster.computers import remote_access
from stationmaster.ids import user_of_email

routes = router("/api/platform/v1/remote-access", "Computers")

ORGANIZATION, ME = "organization", "me"


class RemoteAccess(wire.Answer, record=remote_access.RemoteAccess):
    """Whether the switches of the organization and of the caller are on; `othersOff` are ids of
    others whose switch is off, for owners and managers."""


class RemoteAccessChange(wire.Question):
    """`of` is `organization`, `me`, or a member's e-mail address or the id of a principal."""

    of: Annotated[
        str,
        Field(min_length=1, max_length=EMAIL_LENGTH_MAX, pattern=wire.ONE_LINE, examples=[ME]),
    ]
    is_on: StrictBool


@routes.get("")
@blocking.reads
def get_remote_access(db: Db, caller: callers.Member) -> RemoteAccess:
    """Whether remote access to computers is on."""
    return _standing(db, caller)


@routes.put("", responses=problems(404))
def set_remote_access(db: Db, asked: RemoteAccessChange, caller: callers.Member) -> RemoteAccess:
    """Switch remote access on or off: owners for the organization, owners and managers for
    others, everyone for themselves, unless another person has switched it off.
    """
    who = asked.of
    if who in (ORGANIZATION, ME):
        who = remote_access.EVERYBODY if who == ORGANIZATION else caller.principal_id
    elif "@" in who:
        who = user_of_email(caller.org_id, who)
    remote_access.switch(db, caller, who, is_on=asked.is_on)
    return _standing(db, caller)


def _standing(db: Db, caller: Caller) -> RemoteAccess:
    return RemoteAccess.of(remote_access.standing(db, caller))
