"""The servers that take the same telemetry: how each is started, and what its store then holds.

Ours and the peers run as their documentation starts them, with the store that they choose by
themselves. A peer that cannot be installed is left out and named.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import duckdb

from benchmarks import peers
from benchmarks.ingest_data import MARK
from benchmarks.results import ROOT
from stationmaster.lake import rows
from stationmaster.lake.schema import event_id

PORT = 18795
OURS = (sys.executable, "-m", "stationmaster")


@dataclass(frozen=True)
class Server:
    """A server that takes OTLP/HTTP on PORT and keeps everything in one folder.

    `prepare` makes a fresh installation in it, and says which headers a sender needs. `stored`
    counts the different items in its store by the number of the body that brought them; None
    where it has no store.
    """

    name: str
    command: Callable[[Path], list[str | Path]]
    prepare: Callable[[Path], dict[str, str]]
    stored: Callable[[Path], Counter[int]] | None
    env: Callable[[Path], dict[str, str]] = lambda folder: {}
    moves: bool = False
    """Does it also move to the lake what it took?"""


def ours(command: str, *, workers: int = 1) -> Server:
    """Our server: `api` takes telemetry in, `up` also moves it to the lake and rolls it up."""
    processes = ("--workers", str(workers)) if command == "api" else ()
    return Server(
        f"stationmaster {command}" + (f", {workers} processes" if workers > 1 else ""),
        lambda folder: [*OURS, command, "--data-dir", folder, "--port", str(PORT), *processes],
        _initialised,
        _ours_stored,
        moves=command == "up",
    )


def mlflow() -> Server | None:
    programs = peers.python("mlflow")
    return programs and Server(
        peers.version("mlflow"),
        lambda folder: [programs / "mlflow", "server", "--port", str(PORT)],
        lambda folder: {"x-mlflow-experiment-id": "0"},
        lambda folder: _by_trace(folder / "mlflow.db", "SELECT trace_id FROM spans"),
        lambda folder: {"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"},
    )


def phoenix() -> Server | None:
    programs = peers.python("arize-phoenix")
    return programs and Server(
        peers.version("arize-phoenix"),
        lambda folder: [programs / "phoenix", "serve"],
        lambda folder: {},
        lambda folder: _by_trace(
            folder / "phoenix.db",
            "SELECT trace_id FROM spans JOIN traces ON traces.id = spans.trace_rowid",
        ),
        lambda folder: {
            "PHOENIX_WORKING_DIR": str(folder),
            "PHOENIX_HOST": "127.0.0.1",
            "PHOENIX_PORT": str(PORT),
            "PHOENIX_GRPC_PORT": str(PORT + 1),
            "PHOENIX_TELEMETRY_ENABLED": "false",
        },
    )


def collector() -> Server | None:
    """A native collector that throws away what it takes: it neither stores nor strips."""
    programs = peers.python("rotel")
    agent = "lib/*/site-packages/rotel/rotel-agent"
    found = sorted(programs.parent.glob(agent)) if programs else []
    return (
        Server(
            f"{peers.version('rotel')} (native, stores nothing)",
            lambda folder: [
                *(found[0], "start", "--exporter", "blackhole"),
                *("--otlp-http-endpoint", f"127.0.0.1:{PORT}"),
                *("--otlp-grpc-endpoint", f"127.0.0.1:{PORT + 1}"),
                *("--pid-file", folder / "pid", "--log-file", folder / "log"),
            ],
            lambda folder: {},
            None,
        )
        if found
        else None
    )


def _initialised(folder: Path) -> dict[str, str]:
    made = subprocess.run(
        [*OURS, "init", "--data-dir", folder, "--json"], cwd=ROOT, check=True, capture_output=True
    )
    return {"Authorization": f"Bearer {json.loads(made.stdout)['api_key']}"}


def _ours_stored(folder: Path) -> Counter[int]:
    """Different events of the inbox and the lake; their sessions carry the number."""
    events: set[tuple[int, str]] = set()
    with closing(sqlite3.connect(folder / "inbox.sqlite3")) as inbox:
        for (payload,) in inbox.execute("SELECT payload FROM inbox"):
            for event in rows.decode_events(payload):
                events.add((_number(event.session_id or ""), event.event_id))
    parts = sorted(map(str, (folder / "lake").rglob("*.parquet")))
    if parts:
        found = duckdb.sql(
            f"SELECT DISTINCT right(session_id, {len(MARK)})::bigint, event_id_hi, event_id_lo"
            f" FROM read_parquet({parts!r})"
        )
        events.update((number, event_id(*halves)) for number, *halves in found.fetchall())
    return Counter(number for number, _ in events)


def _by_trace(database: Path, query: str) -> Counter[int]:
    """The last bytes of every trace id carry the number."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=20)) as connection:
        ids = connection.execute(query)
        return Counter(int(bytes.fromhex(trace[-2 * len(MARK) :])) for (trace,) in ids)


def _number(identifier: str) -> int:
    return int(identifier[-len(MARK) :])
