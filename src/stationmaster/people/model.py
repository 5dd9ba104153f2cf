"""The nouns of people."""

from __future__ import annotations

from msgspec import Struct

from stationmaster.access.model import MemberStatus


class Alias(Struct, frozen=True):
    """Another user id of a person. `evidence` is `installation`, `account` or `session` where
    telemetry shows both together, `said` where somebody has merged them.
    """

    user_id: str
    evidence: str


class Person(Struct, frozen=True):
    """A member, or somebody who is only seen in telemetry (`status` None).

    `first_day` and `last_day` (ISO) and `products` are of the days that are rolled up.
    """

    user_id: str
    email: str | None
    status: MemberStatus | None
    team: str | None
    aliases: list[Alias]
    products: list[str]
    first_day: str | None
    last_day: str | None
