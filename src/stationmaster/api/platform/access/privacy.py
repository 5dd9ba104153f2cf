"""How people are shown in the answers of an organization."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from starlette.requests import Request

from stationmaster.access import privacy
from stationmaster.access.model import PrivacyMode
from stationmaster.access.privacy import MINIMUM_MAX, MINIMUM_MIN
from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import router
from stationmaster.api.services import services_of

routes = router("/api/platform/v1/privacy", "Privacy")


class OrganizationPrivacy(wire.Answer):
    """`minimum` is the fewest people of a group in the modes `team-only` and `off`."""

    mode: PrivacyMode
    minimum: int


class OrganizationPrivacyChange(wire.Question):
    """A minimum that is left out, or null, stays."""

    mode: PrivacyMode
    minimum: (
        Annotated[int, Field(strict=True, ge=MINIMUM_MIN, le=MINIMUM_MAX), wire.WHOLE] | None
    ) = None


@routes.get("")
async def get_privacy(request: Request, caller: callers.Manager) -> OrganizationPrivacy:
    """How people are shown."""
    db = services_of(request).db
    return _shown(await blocking.read(db, privacy.of, db, caller.org_id))


@routes.put("")
async def set_privacy(
    request: Request, body: OrganizationPrivacyChange, caller: callers.Owner
) -> OrganizationPrivacy:
    """Show people by name, under other names, in groups, or not at all; from the next request on.

    What is stored stays as it is, so every mode can be left again.
    """
    db = services_of(request).db
    return _shown(
        await blocking.work(
            lambda: privacy.put(db, caller.org_id, body.mode, body.minimum, by=caller)
        )
    )


def _shown(policy: privacy.Policy) -> OrganizationPrivacy:
    return OrganizationPrivacy(mode=policy.mode, minimum=policy.minimum)
