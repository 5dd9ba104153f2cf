"""The body of a message in each format. Texts may hold names of anybody's choice, so none of them
is interpreted: no mention, link or markup of theirs takes effect.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from stationmaster import days
from stationmaster.alerts.model import Event, Format, Kind
from stationmaster.alerts.texts import AlertText

LASTS_MS = 7 * days.MS_PER_DAY
"""When Alertmanager drops an alert whose end is unknown; without it, that is five minutes."""
_SLACK_TITLE_MAX = 150
_CRITICAL: frozenset[Kind] = frozenset({"ci.critical", "job.failed", "destination.disabled"})


class FormattedAlert(NamedTuple):
    """The content of one delivery: an alert as its destination may see it. `base` is the address of
    the application, without a slash at the end; `org_id` and `org_name` are whose alert it is.
    """

    shown: AlertText
    event: Event
    org_id: str
    org_name: str
    base: str

    @property
    def link(self) -> str:
        """The address of the page about the alert."""
        return self.base + self.shown.path

    @property
    def at(self) -> int:
        """When what it reports happened, in UTC milliseconds."""
        alert = self.shown.alert
        is_end = self.event == "resolved" and alert.resolved_at is not None
        return alert.resolved_at if is_end and alert.resolved_at else alert.raised_at


def body(format: Format, message: FormattedAlert) -> bytes:
    """The JSON of a message in any format but mail's."""
    return msgspec.json.encode(_BODIES[format](message))


def mail(message: FormattedAlert) -> tuple[str, str]:
    """Subject and text."""
    shown = message.shown
    return (
        f"{message.org_name}: {shown.title}",
        f"{shown.body}\n\n{message.link}\n\nReported {_moment(message.at, ' ')} by Stationmaster "
        f"for {message.org_name}.\n",
    )


def _webhook(message: FormattedAlert) -> dict[str, Any]:
    return {
        "type": message.shown.alert.kind,
        "timestamp": _moment(message.at, "T"),
        "data": {
            "organization": {"id": message.org_id, "name": message.org_name},
            **message.shown.status(message.event),
            "url": message.link,
        },
    }


def _slack(message: FormattedAlert) -> dict[str, Any]:
    title, text = message.shown.title, message.shown.body
    note = f"{message.org_name} · {_moment(message.at, ' ')}"
    return {
        # What notifications show; the blocks are what the channel shows.
        "text": _slack_escaped(title),
        "blocks": [
            {"type": "header", "text": _plain(title[:_SLACK_TITLE_MAX])},
            {"type": "section", "text": _plain(text or title)},
            {"type": "context", "elements": [_plain(note)]},
            {
                "type": "actions",
                "elements": [
                    {"type": "button", "text": _plain("Open Stationmaster"), "url": message.link}
                ],
            },
        ],
    }


def _plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text, "emoji": False}


def _slack_escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _teams(message: FormattedAlert) -> dict[str, Any]:
    # Text runs, unlike text blocks, know no Markdown.
    note = f"{message.org_name} · {_moment(message.at, ' ')}"
    card = {
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [
            _run(message.shown.title, weight="Bolder", size="Large"),
            _run(message.shown.body),
            _run(note, isSubtle=True, size="Small"),
        ],
        "actions": [{"type": "Action.OpenUrl", "title": "Open Stationmaster", "url": message.link}],
    }
    kind = "application/vnd.microsoft.card.adaptive"
    return {
        "type": "message",
        "attachments": [{"contentType": kind, "contentUrl": None, "content": card}],
    }


def _run(text: str, **style: Any) -> dict[str, Any]:
    return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text, **style}]}


def _alertmanager(message: FormattedAlert) -> list[dict[str, Any]]:
    alert = message.shown.alert
    ends_at = alert.resolved_at if message.event == "resolved" else alert.until
    words = (word.capitalize() for word in alert.kind.split("."))
    return [
        {
            "labels": {
                "alertname": f"Stationmaster{''.join(words)}",
                "kind": alert.kind,
                "severity": "critical" if alert.kind in _CRITICAL else "warning",
                "organization": message.org_id,
                # It alone distinguishes two alerts of a kind, because texts may change with
                # privacy.
                "alert_id": alert.alert_id,
            },
            "annotations": {"summary": message.shown.title, "description": message.shown.body},
            "startsAt": _moment(alert.raised_at, "T"),
            "endsAt": _moment(ends_at or alert.raised_at + LASTS_MS, "T"),
            "generatorURL": message.link,
        }
    ]


_BODIES = {
    "webhook": _webhook,
    "slack": _slack,
    "teams": _teams,
    "alertmanager": _alertmanager,
}


def _moment(ms: int, between: str) -> str:
    """`2026-11-03T20:26:10.344Z` for programs, `2026-11-03 20:26 UTC` for people."""
    return days.iso(ms) if between == "T" else f"{days.minute(ms)} UTC"
