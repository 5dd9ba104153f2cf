"""The nouns of alerts. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Any, Literal, get_args

import msgspec

Kind = Literal[
    "limit.threshold", "limit.forecast", "limit.request", "limit.decision", "sender.silent",
    "spend.spike", "ci.critical", "job.failed", "destination.disabled", "test",
]  # fmt: skip
"""What an alert is about; also the `type` of its webhook. `test` is sent on request to one
destination and is never chosen."""
Format = Literal["webhook", "slack", "teams", "alertmanager", "mail"]
Event = Literal["raised", "resolved"]
Audience = Literal["all", "person"]
"""Whom a delivery is for: everybody at the destination, or the person that the alert is about."""
DestinationState = Literal["enabled", "disabled"]
DeliveryState = Literal["waiting", "delivered", "failed"]

KINDS: tuple[Kind, ...] = get_args(Kind)
CHOSEN_KINDS: tuple[Kind, ...] = tuple(kind for kind in KINDS if kind != "test")
FORMATS: tuple[Format, ...] = get_args(Format)
DELIVERY_STATES: tuple[DeliveryState, ...] = get_args(DeliveryState)

PERSON = "{person}"
"""Stands in title and body for the person that an alert is about; see `texts.shown`."""


class Alert(msgspec.Struct, frozen=True):
    """One alert. `person_id` is whom it is about, if it is about one; `until` when its cause ends
    by itself, such as at the end of a budget's period; `resolved_at` when it was found to be gone.
    """

    alert_id: str
    kind: Kind
    title: str
    body: str
    data: dict[str, Any]
    person_id: str | None
    raised_at: int
    until: int | None
    resolved_at: int | None
