"""OpenCode's older session files as Documents: one of a session, of its messages and their parts.

They are in folders next to each other: `session/<project>/<session>.json`,
`message/<session>/<message>.json` and `part/<message>/<part>.json`. The ids of messages and parts
grow with time, and so do the names of their files.
"""

from __future__ import annotations

import os
import re
from typing import Any

import msgspec

from stationmaster.agents.interface import Document, Intake
from stationmaster.agents.opencode.conversation import Conversation, Teller, is_complete, place_of
from stationmaster.agents.opencode.records import Part, decode_message, decode_part, decode_session
from stationmaster.agents.values import NotJson, file_bytes, name

_FILE_BYTES_MAX = 64 * 2**20
_NAME = re.compile(r"\w[\w.-]*", re.ASCII)


class ReadUpTo(msgspec.Struct):
    """The name of the file up to which all messages were complete when they were read."""

    message: str = ""


class SessionFiles(Document):
    """See agent.Document. `path` is that of the session's own file."""

    def __init__(self, path: str, state: dict[str, Any] | None = None) -> None:
        self._path = path
        self._storage = os.path.dirname(os.path.dirname(os.path.dirname(path)))
        self._now: ReadUpTo = msgspec.convert(state, ReadUpTo) if state else ReadUpTo()
        self._teller = Teller("transcript")
        self._loose: dict[str, list[Part]] | None = None

    def stamp(self) -> str:
        """The session, its messages, and the last of them with its parts: no other one changes."""
        folder = self._folder("message", _stem(self._path))
        looked_at = [self._path, folder]
        for last in _names(folder)[-1:]:
            parts = self._folder("part", _stem(last))
            looked_at += [os.path.join(folder, last), parts]
            looked_at += [os.path.join(parts, file) for file in _names(parts)]
        return ".".join(map(_look, looked_at))

    def read(self, intake: Intake) -> None:
        """Add the session and its messages after those that were complete. Raises OSError."""
        try:
            session = decode_session(file_bytes(self._path, _FILE_BYTES_MAX))
        except NotJson:
            intake.reject("a file is not JSON")
            return
        session.id = session.id or _stem(self._path)
        place = place_of(session, name(session.parent_id))
        self._teller.session(place, intake)
        messages, is_gapless = self._now.message, True
        folder = self._folder("message", session.id)
        files = _names(folder)
        for file in files:
            if file > self._now.message:
                path = os.path.join(folder, file)
                is_added = self._add_files(place, path, file == files[-1], intake)
                is_gapless = is_gapless and is_added
                messages = file if is_gapless else messages
        self._now = ReadUpTo(messages)

    def _folder(self, kind: str, identity: str) -> str:
        """The folder of what belongs to a session or a message; ids are read from files as well."""
        is_name = _NAME.fullmatch(identity) is not None
        return os.path.join(self._storage, kind, identity if is_name else "-")

    def _add_files(self, place: Conversation, path: str, is_last: bool, intake: Intake) -> bool:
        """Report one message; False when it is not complete."""
        try:
            message = decode_message(file_bytes(path, _FILE_BYTES_MAX))
        except NotJson:
            intake.reject("a file is not JSON")
            return False
        except FileNotFoundError:
            # What is undone may be deleted at any time.
            return True
        message.id = message.id or _stem(path)
        parts = self._parts(message.id, intake)
        self._teller.message(place, message, parts, intake)
        # A prompt is complete when something follows it, from the person or the agent.
        is_followed = message.role == "user" and not is_last
        return is_followed or is_complete(message, parts)

    def _parts(self, message: str, intake: Intake) -> list[Part]:
        folder = self._folder("part", message)
        if not os.path.isdir(folder):
            return self._loose_parts(intake).get(message, [])
        paths = [os.path.join(folder, file) for file in _names(folder)]
        return _read_parts(paths, intake)

    def _loose_parts(self, intake: Intake) -> dict[str, list[Part]]:
        """Parts next to the folders, which name their message, by message."""
        if self._loose is None:
            self._loose = {}
            folder = os.path.join(self._storage, "part")
            paths = [os.path.join(folder, file) for file in _names(folder)]
            for part in _read_parts(paths, intake):
                self._loose.setdefault(part.message_id or "", []).append(part)
        return self._loose


def _read_parts(paths: list[str], intake: Intake) -> list[Part]:
    parts = []
    for path in paths:
        try:
            parts.append(decode_part(file_bytes(path, _FILE_BYTES_MAX)))
        except NotJson:
            intake.reject("a file is not JSON")
        except FileNotFoundError:
            continue
    return parts


def _names(folder: str) -> list[str]:
    """The names of the JSON files in a folder, in order; none when there is no such folder."""
    try:
        with os.scandir(folder) as entries:
            return sorted(e.name for e in entries if e.name.endswith(".json") and e.is_file())
    except (FileNotFoundError, NotADirectoryError):
        return []


def _stem(path: str) -> str:
    return os.path.basename(path).removesuffix(".json")


def _look(path: str) -> str:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return "-"
    return f"{status.st_size}-{status.st_mtime_ns}"
