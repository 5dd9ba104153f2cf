"""How people are shown in the answers of an organization."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from stationmaster.access import privacy
from stationmaster.access.model import PrivacyMode
from stationmaster.access.privacy import MINIMUM_MAX, MINIMUM_MIN
from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import Db, router

routes = router("/api/platform/v1/privacy", "Privacy")


class OrganizationPrivacy(wire.Answer):
    """`minimum` is the minimum size of a group in the modes `team-only` and `off`."""

    mode: PrivacyMode
    minimum: int


class OrganizationPrivacyChange(wire.Question):
    """A minimum that is left out or null stays unchanged."""

    mode: PrivacyMode
    minimum: (
        Annotated[int, Field(strict=True, ge=MINIMUM_MIN, le=MINIMUM_MAX), wire.WHOLE] | None
    ) = None


@routes.get("")
@blocking.reads
def get_privacy(db: Db, caller: callers.Manager) -> OrganizationPrivacy:
    """The privacy mode: how people are shown."""
    return OrganizationPrivacy.of(privacy.of(db, caller.org_id))


@routes.put("")
def set_privacy(
    db: Db, body: OrganizationPrivacyChange, caller: callers.Owner
) -> OrganizationPrivacy:
    """Show people by name, under other names, in groups, or not at all, from the next request.
    Stored data does not change, so every mode can be undone."""
    return OrganizationPrivacy.of(
        privacy.put(db, caller.org_id, body.mode, body.minimum, by=caller)
    )
