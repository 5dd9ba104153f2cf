"""How an alert reads: with the person that it is about only for those who may see who it is."""

from __future__ import annotations

from typing import Any, NamedTuple

from stationmaster.alerts.model import Alert, Event
from stationmaster.alerts.raising import PERSON

_UNNAMED = "a person"
_PATHS = {
    "limit": "/limits",
    "sender": "/coverage",
    "spend": "/spend",
    "job": "/settings/jobs?state=failed",
    "ci": "/repositories",
    "destination": "/settings/alerts",
    "test": "/settings/alerts",
}
"""The page about alerts of a kind, by its first word."""


class NamedPerson(NamedTuple):
    """Whom an alert is about; `email` is None where only the id is known."""

    user_id: str
    email: str | None

    @property
    def name(self) -> str:
        """The e-mail address, or the user id where that is not known."""
        return self.email or self.user_id


class AlertText(NamedTuple):
    """An alert as one reader may see it; `path` is of the page about it. `person` is None where it
    is about no person, or the reader may not see about whom.
    """

    alert: Alert
    title: str
    body: str
    person: NamedPerson | None

    @property
    def path(self) -> str:
        """Path and query of the page about the alert, without the application's address."""
        repo = self.alert.data.get("repositoryId")
        if self.alert.kind == "ci.critical" and isinstance(repo, str):
            return f"/repositories/{repo}/ci"
        request = self.alert.data.get("requestId")
        if self.alert.kind == "limit.request" and isinstance(request, str):
            return f"/limits/requests/{request}"
        return _PATHS[self.alert.kind.partition(".")[0]]

    def status(self, event: Event) -> dict[str, Any]:
        """The members of `data` that every kind has, for formats that programs read."""
        person = self.person
        return {
            "id": self.alert.alert_id,
            "status": event,
            "title": self.title,
            "text": self.body,
            "person": None if person is None else {"id": person.user_id, "email": person.email},
            "until": self.alert.until,
            "details": self.alert.data,
        }


def shown(alert: Alert, person: NamedPerson | None) -> AlertText:
    """An alert for a reader who may see `person`; without one no person is named."""
    name = _UNNAMED if person is None else person.name
    return AlertText(alert, _filled(alert.title, name), _filled(alert.body, name), person)


def _filled(text: str, name: str) -> str:
    filled = text.replace(PERSON, name)
    begins = text.startswith(PERSON) and name == _UNNAMED
    return filled[:1].upper() + filled[1:] if begins else filled
