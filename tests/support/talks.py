"""Conversations with OpenCode of known content, in the forms that its sources give them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stationmaster.agents.interface import Document, Intake
from stationmaster.agents.opencode.agent import AGENT

SESSION = "ses_0000000000000000000000001"
AT_MS = 1_795_140_400_000
FOLDER = "/home/dev/project"
_TABLES = """
CREATE TABLE `session` (
  `id` text PRIMARY KEY, `project_id` text NOT NULL, `parent_id` text, `directory` text NOT NULL,
  `title` text NOT NULL, `version` text NOT NULL, `permission` text,
  `time_created` integer NOT NULL, `time_updated` integer NOT NULL
);
CREATE TABLE `message` (
  `id` text PRIMARY KEY, `session_id` text NOT NULL, `time_created` integer NOT NULL,
  `time_updated` integer NOT NULL, `data` text NOT NULL,
  CONSTRAINT `fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
);
CREATE TABLE `part` (
  `id` text PRIMARY KEY, `message_id` text NOT NULL, `session_id` text NOT NULL,
  `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `data` text NOT NULL
);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
"""


@dataclass
class Talk:
    """A session and its messages, each with its parts."""

    session: dict[str, Any]
    messages: list[tuple[dict[str, Any], list[dict[str, Any]]]] = field(default_factory=list)


def session(identity: str = SESSION, created: int = AT_MS, **more: Any) -> dict[str, Any]:
    return {
        "id": identity,
        "projectID": "p",
        "directory": FOLDER,
        "title": "t",
        "version": "1.18.33",
        "time": {"created": created, "updated": created},
        **more,
    }


def message_id(at: int, number: int = 1) -> str:
    """An id as the program makes it: the lowest 48 bits of the time and a counter, then chance."""
    return f"msg_{(at * 4096 + number) % 2**48:012x}abcdefghijklmn"


def prompt(
    text: str = "hello", after: int = 1_000, **more: Any
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A person's message, so many milliseconds after the session's beginning."""
    parts = more.pop("parts", [{"type": "text", "text": text}])
    message = {
        "id": message_id(AT_MS + after),
        "role": "user",
        "time": {"created": AT_MS + after},
        "agent": "build",
        "model": {"providerID": "anthropic", "modelID": "claude-sonnet-4-5"},
        **more,
    }
    return message, parts


def answer(
    *parts: dict[str, Any], after: int = 2_000, **more: Any
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A model's finished answer with the given parts."""
    at = AT_MS + after
    message = {
        "id": message_id(at),
        "role": "assistant",
        "parentID": message_id(AT_MS + 1_000),
        "mode": "build",
        "agent": "build",
        "path": {"cwd": FOLDER, "root": FOLDER},
        "cost": 0.25,
        "tokens": {
            "input": 10,
            "output": 20,
            "reasoning": 3,
            "total": 123,
            "cache": {"read": 40, "write": 50},
        },
        "modelID": "claude-sonnet-4-5",
        "providerID": "anthropic",
        "time": {"created": at, "completed": at + 500},
        "finish": "stop",
        **more,
    }
    return message, list(parts)


def call(
    tool: str, call_id: str = "call_1", status: str = "completed", after: int = 2_100, **state: Any
) -> dict[str, Any]:
    """A tool call; `state` overrides what a call of 40 ms without arguments says."""
    at = AT_MS + after
    return {
        "type": "tool",
        "tool": tool,
        "callID": call_id,
        "state": {
            "status": status,
            "input": {},
            "output": "",
            "metadata": {},
            "title": "",
            "time": {"start": at, "end": at + 40},
            **state,
        },
    }


def numbered(talk: Talk) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """The messages with the ids that the program adds to messages and parts."""
    identity = talk.session["id"]
    found = []
    for message, parts in talk.messages:
        message = {"sessionID": identity, **message}
        place = {"sessionID": identity, "messageID": message["id"]}
        stem = message["id"].removeprefix("msg_")
        found.append(
            (message, [{"id": f"prt_{stem}{n:02}", **place, **p} for n, p in enumerate(parts)])
        )
    return found


class Database:
    """A database as OpenCode keeps it: in write-ahead mode, and open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA wal_autocheckpoint = 0")
        self.connection.executescript(_TABLES)

    def write(self, talk: Talk, updated: int | None = None) -> None:
        """Write a talk, or what it has become: rows of the same ids are updated in place."""
        given = talk.session
        at = given["time"]["created"] if updated is None else updated
        self._put(
            "session",
            id=given["id"],
            project_id="p",
            parent_id=given.get("parentID"),
            directory=given["directory"],
            title=given["title"],
            version=given["version"],
            permission=json.dumps(given["permission"]) if "permission" in given else None,
            time_created=given["time"]["created"],
            time_updated=at,
        )
        for message, parts in numbered(talk):
            created = (message.get("time") or {}).get("created", AT_MS)
            changed = created if updated is None else updated
            place = {"session_id": given["id"], "time_created": created, "time_updated": changed}
            self._put("message", id=message["id"], data=_data(message), **place)
            for part in parts:
                self._put(
                    "part", id=part["id"], message_id=message["id"], data=_data(part), **place
                )

    def _put(self, table: str, **values: Any) -> None:
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        kept = ", ".join(f"{name} = excluded.{name}" for name in values if name != "time_created")
        self.connection.execute(
            f"INSERT INTO {table} ({names}) VALUES ({marks}) ON CONFLICT (id) DO UPDATE SET {kept}",
            list(values.values()),
        )


def _data(record: dict[str, Any]) -> str:
    left_out = ("id", "sessionID", "messageID")
    return json.dumps({key: value for key, value in record.items() if key not in left_out})


def write_files(storage: Path, talk: Talk) -> Path:
    """Write a talk as older versions did; the path of its session's file."""
    path = storage / "session" / "p" / f"{talk.session['id']}.json"
    _write(path, talk.session)
    for message, parts in numbered(talk):
        _write(storage / "message" / talk.session["id"] / f"{message['id']}.json", message)
        for part in parts:
            _write(storage / "part" / message["id"] / f"{part['id']}.json", part)
    return path


def _write(path: Path, record: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record))


def forwarded(talk: Talk, root: str | None = None) -> list[dict[str, Any]]:
    """What our plugin forwards of a talk."""
    where = {"rootSessionID": root} if root else {}
    events = [{"type": "session.created", "info": talk.session}]
    for message, parts in numbered(talk):
        place = {"sessionID": message["sessionID"]}
        if message["role"] == "user":
            hook = {"type": "chat.message", **place, "agent": message.get("agent")}
            events.append({**hook, "message": message, "parts": parts})
        events.append({"type": "message.updated", **place, "info": message})
        events += [{"type": "message.part.updated", **place, "part": part} for part in parts]
    return [{**event, **where} for event in events]


def database_path(home: Path) -> Path:
    """Where OpenCode keeps its database under a home folder."""
    return home / ".local" / "share" / "opencode" / "opencode.db"


def hooked(events: Iterable[dict[str, Any]], received_ms: int = AT_MS + 9_000) -> Intake:
    intake = Intake()
    for event in events:
        AGENT.hook(None, event, received_ms, intake)
    return intake


def told(document: Document) -> Intake:
    """All that a document tells, in as many pieces as it takes."""
    intake = Intake()
    document.read(intake)
    while not document.is_read:
        document.read(intake)
    return intake


def of_database(path: Path, *talks: Talk) -> Intake:
    database = Database(path)
    for talk in talks:
        database.write(talk)
    intake = told(AGENT.transcript(str(path)))
    database.connection.close()
    return intake
