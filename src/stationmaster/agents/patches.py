"""Patches, change lists and edits as counts per file: the paths become hashes immediately.

A patch is in the format that Codex made and other agents took over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from stationmaster.agents import languages
from stationmaster.events.model import Event, FileOp, identify, path_hash

BEGIN = "*** Begin Patch"
_OPERATIONS: tuple[tuple[str, FileOp], ...] = (
    ("*** Add File: ", "created"),
    ("*** Update File: ", "edited"),
    ("*** Delete File: ", "deleted"),
)
_CHANGES: dict[str | None, FileOp] = {"add": "created", "update": "edited", "delete": "deleted"}
_FILES_MAX = 2_000


class Delta(msgspec.Struct, array_like=True):
    """What happens to one file, without its path."""

    op: FileOp
    path: str
    extension: str
    language: str | None
    added: int = 0
    removed: int = 0


class PatchEntry(msgspec.Struct, gc=False):
    """One entry of a change list; `content` is that of an added file."""

    type: str | None = None
    unified_diff: str | None = None
    content: str | None = None


def of_patch(text: str, session: str) -> tuple[Delta, ...]:
    """The files of a patch, which may begin anywhere in the text."""
    begin = text.find(BEGIN)
    if begin < 0:
        return ()
    deltas: list[Delta] = []
    for row in text[begin:].split("\n"):
        if row.startswith("*** "):
            if row.startswith("*** End Patch") or len(deltas) >= _FILES_MAX:
                break
            for mark, op in _OPERATIONS:
                if row.startswith(mark):
                    deltas.append(_delta(op, row[len(mark) :].strip(), session))
        elif deltas and row[:1] == "+":
            deltas[-1].added += 1
        elif deltas and row[:1] == "-":
            deltas[-1].removed += 1
    return tuple(deltas)


def of_changes(changes: Mapping[str, PatchEntry], session: str) -> tuple[Delta, ...]:
    """The files of a change list, keyed by path."""
    deltas: list[Delta] = []
    for path, change in changes.items():
        op = _CHANGES.get(change.type)
        if op is None or len(deltas) >= _FILES_MAX:
            continue
        delta = _delta(op, path, session)
        if change.unified_diff is not None:
            for row in change.unified_diff.split("\n"):
                delta.added += row[:1] == "+" and row[:3] != "+++"
                delta.removed += row[:1] == "-" and row[:3] != "---"
        elif change.content is not None:
            lines = len(_lines(change.content))
            if op == "deleted":
                delta.removed = lines
            else:
                delta.added = lines
        deltas.append(delta)
    return tuple(deltas)


def of_texts(op: FileOp, path: str, replacements: Iterable[tuple[str, str]], session: str) -> Delta:
    """One file of which texts were replaced: (old, new) each. Equal lines at both ends stayed."""
    delta = _delta(op, path, session)
    for old, new in replacements:
        before, after = _lines(old), _lines(new)
        same = _common(before, after)
        del before[:same], after[:same]
        same = _common(before[::-1], after[::-1])
        delta.removed += len(before) - same
        delta.added += len(after) - same
    return delta


def set_file(event: Event, path: str) -> None:
    """Set the file that an event of a session is about."""
    event.file_path_hash = path_hash(event.session_id or "", path)
    event.file_ext, event.language = languages.of_path(path)


def fill(event: Event, delta: Delta, call: Event, *key: str) -> Event:
    """Make a fresh event the change of one file by a call; `key` identifies the call."""
    event.ts, event.ts_source = call.ts, call.ts_source
    identify(event, *key, delta.path)
    event.tool_call_id = call.tool_call_id
    event.file_op = delta.op
    event.file_path_hash = delta.path
    event.file_ext, event.language = delta.extension, delta.language
    event.lines_added, event.lines_removed = delta.added, delta.removed
    return event


def _delta(op: FileOp, path: str, session: str) -> Delta:
    extension, language = languages.of_path(path)
    return Delta(op, path_hash(session, path), extension, language)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def _common(before: list[str], after: list[str]) -> int:
    """How many lines at the beginning are equal."""
    same = 0
    for old, new in zip(before, after, strict=False):
        if old != new:
            break
        same += 1
    return same
