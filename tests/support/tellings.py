"""What every source of the recorded agents tells, in the pieces in which it may arrive."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from stationmaster.access.model import Caller
from stationmaster.agents import recognition
from stationmaster.agents.cards.home import Home
from stationmaster.agents.interface import Agent, Document, Intake
from stationmaster.client.collecting import sources
from stationmaster.client.collecting.sources import SessionFile
from stationmaster.events.model import Event
from stationmaster.ids import KeyId, OrgId
from stationmaster.ingest import otlp
from stationmaster.ingest.delivery import prepare
from tests.support import recordings
from tests.support.hooks import named_hooks

RECORDED_MS = 1_795_255_200_000
"""10:00 of the day of the recordings, by when every session had ended."""
_HOOKED_MS = 1_795_226_400_000
"""02:00 of that day; hooks that tell no time come a second apart from then on."""
DEV = Caller(
    org_id=OrgId("org_lab"),
    principal_kind="human",
    principal_id="user_dev",
    email="dev@example.com",
    role="member",
    key_id=KeyId("key_1"),
    scope="ingest",
)
"""Whose machine the recordings are from."""
Piece = list[Event]
"""The events of one delivery."""
Cut = Callable[[int], Sequence[int]]
"""Given the number of a file's lines, after which of them a collector stopped and went on."""


def exported(agent: str, received_ms: int = RECORDED_MS) -> list[Piece]:
    """One piece per OTLP body, as the door decodes it."""
    pieces = []
    for body in recordings.bodies(agent):
        decoded = otlp.decode(
            body.signal,  # type: ignore[arg-type] - the index has signals alone
            body.content_type,
            body.content_encoding or None,
            body.data,
            received_ms=received_ms,
            body_max=2**26,
        )
        assert decoded.rejected == 0
        pieces.append(decoded.events)
    return pieces


def hooked(agent: str) -> list[Piece]:
    """One piece per hook."""
    pieces = []
    for number, (event, given) in enumerate(named_hooks(agent)):
        intake = Intake()
        known(agent).hook(event, given, _HOOKED_MS + 1000 * number, intake)
        assert intake.invalid == []
        pieces.append(intake.events)
    return pieces


def filed(agent: str, home: Path, cut: Cut = lambda _: ()) -> list[Piece]:
    """The pieces of every session file, each as often cut as told; files read whole are one."""
    pieces: list[Piece] = []
    for file in files_of(agent, home):
        lines = Path(file.path).read_bytes().splitlines(keepends=True)
        pieces += read(known(agent), file.path, lines, sorted({*cut(len(lines)), len(lines)}))
    return pieces


def files_of(agent: str, home: Path) -> list[SessionFile]:
    """An agent's session files as a collector finds them."""
    found = sources.of_this_machine(Home(str(home)), lambda *_: True).sessions
    return [file for file in found if file.product == agent]


def read(agent: Agent, path: str, lines: list[bytes], ends: Sequence[int]) -> Iterator[Piece]:
    """What a file tells, read up to each of the ends by a reader that goes on from a state."""
    begin, state = 0, None
    for end in ends:
        intake = Intake()
        reader = agent.transcript(path, state)
        if isinstance(reader, Document):
            reader.read(intake)
            yield intake.events
            return
        reader.feed_lines(b"".join(lines[begin:end]), intake)
        reader.finish(intake)
        begin, state = end, msgspec.json.decode(msgspec.json.encode(reader.state()))
        yield intake.events


def known(product: str) -> Agent:
    found = recognition.by_product(product)
    assert found is not None
    return found


def make_home(folder: Path, *agents: str) -> Path:
    """A home folder with the recorded session files, last written when the sessions had ended."""
    for agent in agents or recordings.EVERY:
        shutil.copytree(recordings.ROOT / agent / "transcripts", folder, dirs_exist_ok=True)
    for path in folder.rglob("*"):
        os.utime(path, (RECORDED_MS / 1000, RECORDED_MS / 1000))
    return folder


def make_home_of(folder: Path, agent: str, run: str) -> Path:
    """A home folder with the files of one recorded session alone."""
    session = recordings.session(agent, run)["session_id"]
    make_home(folder, agent)
    # Gemini CLI names its files by the beginning of the id, OpenCode has one file for all.
    named = session[:8] if agent == "gemini-cli" else session
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".db" and agent == "opencode":
            _keep_session(path, session)
        elif path.is_file() and named not in str(path):
            path.unlink()
    return folder


def _keep_session(path: Path, session: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        for table, column in (("part", "session_id"), ("message", "session_id"), ("session", "id")):
            database.execute(f"DELETE FROM {table} WHERE {column} <> ?", (session,))


def kept_hooks(agent: str, run: str) -> list[bytes]:
    """A run's hooks as `stationmaster hook` hands them over: a line before the JSON of each."""
    kept = []
    for number, path in enumerate(sorted((recordings.ROOT / agent / "hooks").glob(f"{run}-*"))):
        event = path.stem.rsplit("-", 1)[1]
        kept.append(f"{agent}\t{event}\t{_HOOKED_MS + 1000 * number}\n".encode())
        kept[-1] += path.read_bytes()
    return kept


def attributed(pieces: Sequence[Piece], received_ms: int = RECORDED_MS) -> list[Piece]:
    """Copies of the pieces as the inbox takes them from the person's own key."""
    copies = [[msgspec.structs.replace(event) for event in piece] for piece in pieces]
    return [prepare(DEV, copy, {}, received_ms=received_ms).events for copy in copies]
