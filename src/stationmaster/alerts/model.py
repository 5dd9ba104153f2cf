"""The nouns of alerts. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Any, Literal, get_args

import msgspec

Kind = Literal[
    "limit.threshold",
    "limit.forecast",
    "limit.request",
    "limit.decision",
    "sender.silent",
    "spend.spike",
    "ci.critical",
    "job.failed",
    "destination.disabled",
    "test",
]
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


class Alert(msgspec.Struct, frozen=True):
    """One alert. `person_id` is whom it is about, if it is about one; `until` when its cause ends
    by itself, such as at the end of a budget's period; `resolved_at` when its cause was found to
    have ended.
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


class Destination(msgspec.Struct, frozen=True):
    """Where alerts of an organization are sent. No `kinds` are all kinds.

    `address` is what may be shown of the address, None for mail; `recipients` of mail are addresses
    and the words of RECIPIENT_WORDS. `reason` is why it is disabled: a word of REASONS. Nothing
    is sent before `paused_until`; `failing_since` is the first failure after the last success.
    Until `previous_until` messages are signed with the secret before the last rotation, too.
    """

    destination_id: str
    name: str
    format: Format
    kinds: tuple[Kind, ...]
    recipients: tuple[str, ...]
    address: str | None
    state: DestinationState
    reason: str | None
    failing_since: int | None
    paused_until: int | None
    previous_until: int | None
    created_at: int
    created_by: str

    @property
    def is_enabled(self) -> bool:
        """True where it is not disabled; it may still be paused."""
        return self.state == "enabled"


class Attempt(msgspec.Struct, frozen=True):
    """One try. `ended_at` is None while it lasts, and permanently where its process died; `status`
    is of HTTP; `error` the first bytes of what a failed one was answered, or why there is no
    answer.
    """

    started_at: int
    ended_at: int | None
    status: int | None
    error: str | None


class Delivery(msgspec.Struct, frozen=True):
    """One message to one destination; its id is the `webhook-id`. `attempts` counts since it was
    created or replayed; a waiting one is tried next at `due_at`.
    """

    delivery_id: str
    alert_id: str
    destination_id: str
    event: Event
    audience: Audience
    state: DeliveryState
    attempts: int
    due_at: int
    created_at: int
    finished_at: int | None


RECIPIENT_WORDS = ("owners", "managers", "person")
"""Recipients of mail that are looked up when it is sent: owners; managers; whom it is about."""
REASONS = {
    "person": "disabled by a person",
    "gone": "the address answered 410 Gone",
    "failing": "every attempt has failed for three days",
}
"""Why a destination is disabled."""
