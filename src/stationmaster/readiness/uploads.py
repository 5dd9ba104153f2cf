"""What may be sent to a server of a document that `readiness --json` printed.

It imports nothing of the criteria: clients without their libraries upload, too.
"""

from __future__ import annotations

from typing import Any

_ADDED = (
    *("level", "levelName", "lowest", "highest", "percentage", "evaluated", "notEvaluated"),
    *("levels", "pillars", "criteria", "next", "fixes"),
)
"""Members that `summary.document` adds to a report."""


def uploaded(body: dict[str, Any]) -> dict[str, Any]:
    """The report of such a document, as it may be sent to a server; others are left as they are."""
    if not isinstance(body, dict) or "criteria" not in body:
        return body
    content = {name: value for name, value in body.items() if name not in _ADDED}
    content.pop("createdAt", None)
    content["evidence"] = {criterion["id"]: criterion["verdicts"] for criterion in body["criteria"]}
    return content
