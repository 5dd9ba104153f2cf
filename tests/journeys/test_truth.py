"""Recorded sessions of all agents go in through every door; the reports say what truly happened.

Every session is a person's of its own, so that one row of the users' report is one session's.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import msgspec
import pytest

from stationmaster.agents.interface import Intake
from stationmaster.client import spool
from stationmaster.client.collecting.checkouts import Checkouts
from stationmaster.client.collecting.reading import read_all
from stationmaster.client.hooks import worker as hook_worker
from stationmaster.client.server import EVENTS_PATH
from stationmaster.db.engine import Database
from tests.support import databases, processes, recordings, tellings
from tests.support.builders import a_key, a_member, an_organization
from tests.support.commands import succeed

DAY = "2026-11-21"
DELIVERIES = ("exports", "files", "hooks", "everything")
TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
_folders = count()
SESSIONS = [(agent, run) for agent in recordings.EVERY for run in recordings.runs(agent)]


class Place(NamedTuple):
    """A running server, its database, and a folder for those who send."""

    http: httpx.Client
    db: Database
    folder: Path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("truth")
    processes.run("init", "--data-dir", str(folder / "data"))
    now = {"STATIONMASTER_NOW": "2026-11-22T12:00:00Z"}
    url = databases.sqlite_url(folder / "data" / "stationmaster.sqlite3")
    with (
        processes.a_server(folder / "data", now) as server,
        httpx.Client(base_url=server.url, timeout=60) as http,
        closing(Database.open(url)) as db,
    ):
        yield Place(http, db, folder)


@pytest.mark.parametrize("delivery", DELIVERIES)
def test_reports_equal_what_truly_happened(place: Place, delivery: str) -> None:
    org = an_organization(place.db, delivery)
    owner = a_key(place.db, org, a_member(place.db, org, "owner@example.com", "owner"))
    sends = []
    for agent, run in SESSIONS:
        person = a_member(place.db, org, f"{run}.{agent}@example.com")
        sender = Sender(place, agent, run, a_key(place.db, org, person, "ingest"), delivery)
        sends += sender.sends(delivery)
    _send(sends, is_disorderly=delivery == "everything")

    succeed("rollup", "--data-dir", place.folder / "data")
    rows = {report: _report(place.http, owner, report) for report in _REPORTS}

    true = {key: _truth(*key) for key in SESSIONS}
    told = {row["user_email"]: row for row in rows["users"]}
    wrong = {}
    for (agent, run), truth in true.items():
        row = told.get(f"{run}.{agent}@example.com")
        for field in _OF_A_PERSON:
            reported = row[field] if row else 0
            is_right = (
                reported == truth[field]
                if delivery == "everything"
                # What one source does not know is missing; nothing is there that did not happen.
                else (reported <= truth[field] or _is_of_one_source(agent, field))
            )
            if not is_right:
                wrong[agent, run, field] = (reported, truth[field])
    assert wrong == {}
    if delivery == "everything":
        assert _seen(rows) == _all_together(list(true.values()))


def _is_of_one_source(agent: str, field: str) -> bool:
    """Is it what a source alone cannot know: created or edited, refused?"""
    return field == "files_edited" or (agent == "cursor" and field in ("tool_calls", "messages"))


_REPORTS = ("tokens", "tools", "activity", "productivity", "users")
_OF_A_PERSON = (
    *("sessions", "user_messages", "assistant_messages", "messages", "tool_calls"),
    *("files_created", "files_edited", "git_commits"),
)


def _truth(agent: str, run: str) -> dict[str, Any]:
    """What happened in one session, with the agent's own calls (titles), which are on the bill."""
    session = recordings.session(agent, run)
    tokens, side = session["tokens"], session["side_call_tokens"]
    ran = [call["runs_as"] for call in session["tool_calls"] if call["outcome"] != "refused"]
    files = Counter(file["what"] for file in session["files"])
    if agent == "cursor":
        # No source of it reports model calls, or whether a file was there before.
        tokens, files = Counter(), Counter({"edited": files.total()})
    told = {
        "input_tokens": (tokens["input_not_cached"] or 0) + (side["input"] or 0),
        "output_tokens": (tokens["output_with_reasoning"] or 0) + (side["output"] or 0),
        "cache_read_tokens": tokens["cache_read"] or 0,
        "cache_write_tokens": tokens["cache_write"] or 0,
        "tools": Counter(name.replace(" ", "__") for name in ran),
        "sessions": 1,
        "user_messages": session["user_messages"],
        "assistant_messages": session["model_calls"]["main"],
        "files_created": files["created"],
        "files_edited": files["edited"],
        "git_commits": len(session["git_commits"]),
    }
    told["messages"] = told["user_messages"] + told["assistant_messages"]
    told["tool_calls"] = told["tools"].total()
    return told


def _all_together(truths: list[dict[str, Any]]) -> dict[str, Any]:
    figures = (*TOKENS, "sessions", "user_messages", "messages", "tool_calls")
    figures += ("files_created", "files_edited", "git_commits")
    summed = {name: sum(truth[name] for truth in truths) for name in figures}
    return {**summed, "by_tool": sum((t["tools"] for t in truths), Counter()), "users": len(truths)}


def _seen(rows: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for report in ("tokens", "tools", "activity", "productivity"):
        [row] = rows[report]
        found |= row
    found["by_tool"] = {row["tool"]: row["invocations"] for row in found["by_tool"]}
    found["users"] = len(rows["users"])
    return {name: found[name] for name in _all_together([])}


def _report(http: httpx.Client, key: str, report: str) -> list[dict[str, Any]]:
    answer = http.get(
        f"/api/v1/analytics/{report}",
        params={"startDate": DAY, "endDate": DAY, "limit": 100},
        headers={"authorization": f"Bearer {key}"},
    )
    assert answer.status_code == 200, answer.text
    return list(answer.json()["data"])


def _send(sends: list[Any], *, is_disorderly: bool) -> None:
    """In order and once, or in any order, a third of it twice, from several senders at once."""
    if not is_disorderly:
        for send in sends:
            send()
        return
    chance = random.Random(7)
    sends = sends + chance.sample(sends, len(sends) // 3)
    chance.shuffle(sends)
    with ThreadPoolExecutor(4) as senders:
        for done in [senders.submit(send) for send in sends]:
            done.result()


class Sender(NamedTuple):
    """A person with one session on their machine."""

    place: Place
    agent: str
    run: str
    key: str
    delivery: str

    def sends(self, delivery: str) -> list[Any]:
        """What is to be called so that everything has been sent."""
        exports = [partial(self._post, body) for body in recordings.bodies(self.agent, self.run)]
        everything = [*exports, self._collect, self._hook]
        sources = {"exports": exports, "files": [self._collect], "hooks": [self._hook]}
        return sources.get(delivery, everything)

    def _folder(self) -> Path:
        return self.place.folder / self.delivery / self.agent / self.run

    def _post(self, body: recordings.Body) -> None:
        answer = self.place.http.post(
            f"/v1/{body.signal}",
            content=body.data,
            headers={
                "authorization": f"Bearer {self.key}",
                "content-type": body.content_type,
                "content-encoding": body.content_encoding or "identity",
            },
        )
        assert answer.status_code == 200, answer.text

    def _collect(self) -> None:
        home = tellings.make_home_of(
            self._folder() / f"home-{next(_folders)}", self.agent, self.run
        )
        sources = tellings.files_of(self.agent, home)
        for _ in read_all(sources, lambda: self, None, 1):
            pass

    def _hook(self) -> None:
        folder = self._folder() / f"hooks-{next(_folders)}"
        folder.mkdir(parents=True)
        checkouts = Checkouts()
        with closing(spool.Segment(str(folder))) as segment:
            for kept in tellings.kept_hooks(self.agent, self.run):
                product, events = hook_worker.read(kept, checkouts)
                assert product == self.agent
                assert segment.add(events)
        assert spool.send(folder, self.post_events)

    def deliver(self, product: str, intake: Intake) -> None:
        assert all(event.product == product for event in intake.events)
        self.post_events(b"\n".join(map(msgspec.json.encode, intake.events)))

    def close(self) -> None:
        """A sink of the reader needs one."""

    def post_events(self, lines: bytes) -> None:
        answer = self.place.http.post(
            EVENTS_PATH,
            content=lines,
            headers={
                "authorization": f"Bearer {self.key}",
                "content-type": "application/x-ndjson",
            },
        )
        assert answer.json()["rejected"] == 0, answer.text
