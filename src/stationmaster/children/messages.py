"""What this process and a child send to each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from stationmaster import errors
from stationmaster.children.limits import Limits
from stationmaster.errors import StationmasterError

Report = Callable[[str, int, int], None]
"""Called with progress: the step, how much of it is done, and of how much."""
TEXT_MAX = 4_000
_ERRORS: dict[str, type[StationmasterError]] = {
    error.__name__: error
    for error in (
        errors.BadRequest,
        errors.Malformed,
        errors.Forbidden,
        errors.NotFound,
        errors.Conflict,
        errors.TooLarge,
        errors.Unavailable,
        errors.OperatorError,
    )
}


class Call(msgspec.Struct, tag=True):
    """`arguments` are MessagePack of the function's positional parameters; `folder` is where the
    child keeps temporary files."""

    module: str
    name: str
    arguments: bytes
    limits: Limits
    folder: str


class Progress(msgspec.Struct, tag=True):
    """A step, and how many of its `of` units are done."""

    step: str
    done: int
    of: int


class Answer(msgspec.Struct, tag=True):
    """`content` is MessagePack of what the function returned."""

    content: bytes


class Exceeded(msgspec.Struct, tag=True):
    """A limit that the child noticed itself, by its field of Limits."""

    limit: str


class Refused(msgspec.Struct, tag=True):
    """An error of ours that the function raised."""

    kind: str
    detail: str
    code: str
    metadata: dict[str, Any]


class Failed(msgspec.Struct, tag=True):
    """An unexpected error."""

    traceback: str


Message = Progress | Answer | Exceeded | Refused | Failed


def refused(fault: StationmasterError) -> Refused:
    """The message for an error, with its nearest kind that can be sent, else Conflict."""
    kinds = [base.__name__ for base in type(fault).__mro__ if base.__name__ in _ERRORS]
    kind = kinds[0] if kinds else "Conflict"
    return Refused(kind, fault.detail[:TEXT_MAX], fault.code, fault.metadata)


def error_of(message: Refused) -> StationmasterError:
    """The error of a message; Conflict where the kind is unknown."""
    kind = _ERRORS.get(message.kind, errors.Conflict)
    fault = kind(message.detail[:TEXT_MAX], code=message.code)
    fault.metadata = message.metadata
    return fault
