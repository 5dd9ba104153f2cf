"""Errors in the words of the command line: the option that was typed, not the API's field.

It is separate from the options because commands without the library of options need it, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from stationmaster.errors import BadRequest, StationmasterError, did_you_mean

_TYPED: dict[str, str] = {
    "startDate": "--from",
    "endDate": "--to",
    "repoId": "--repository",
    "remoteUser": "--user",
    "eventType": "--type",
    "globalLimit": "CREDITS",
    "mode": "MODE",
    "name": "NAME",
    "url": "URL",
    "into": "PERSON",
    **{
        field: f"--{field.replace('_', '-')}"
        for field in (
            *("agent", "cursor", "day", "days", "group_by", "kind", "limit", "minimum"),
            *("model", "repository", "role", "state", "subject", "team", "user"),
        )
    },
}
"""What commands call the fields of requests: options, and arguments in capitals. Fields that a file
may hold keep their names."""


def choice(option: str, text: str, words: Collection[str]) -> str:
    """The text, which is one of the words. Raises BadRequest with the nearest of them."""
    if text in words:
        return text
    raise BadRequest(
        f"{option} is one of {', '.join(words)}, not '{text}'.{did_you_mean(text, words)}",
        code="bad_choice",
    )


def renamed(fault: StationmasterError, own: Mapping[str, str] = {}) -> StationmasterError:
    """The error with each of its fields called as commands call it; `own` are a command's own."""
    detail = fault.detail
    for field in _fields(fault.metadata.get("errors")):
        name = {**_TYPED, **own}.get(field.rpartition(".")[2])
        if name is not None:
            detail = re.sub(rf"(?<![\w.-]){re.escape(field)}(?![\w-])", name, detail)
    fault.detail, fault.args = detail, (detail,)
    return fault


def _fields(errors: object) -> Iterable[str]:
    for error in errors if isinstance(errors, list) else ():
        if isinstance(error, dict) and isinstance(error.get("field"), str) and error["field"]:
            yield error["field"]
