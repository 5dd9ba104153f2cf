"""Start the platform with recorded telemetry of real agents, moved to the days before today.

Everything goes through the public doors: `stationmaster init`, `stationmaster up`, OTLP over HTTP
and `stationmaster ingest`. Run it as `make run`. Stopped at any point, the next start continues.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import IO

import httpx
import redate

RECORDINGS = Path(__file__).parent / "recordings"
RUNS = ("basic", "mcp", "short", "denied", "ask")
PROGRAM = [sys.executable, "-m", "stationmaster"]
OWNER = "owner@example.com"
LISTENS = "Stationmaster listens on "
"""How the server begins the line that it prints once the port is its own."""
START_TIMEOUT_S = 60


class Failed(Exception):
    """What went wrong, in a sentence for a person."""


@dataclass
class State:
    """What a start leaves for the next one, in the demo's own folder.

    `day` is the one (UTC) before which all sessions were moved.
    """

    key: str
    day: str
    is_filled: bool = False

    @classmethod
    def load(cls, folder: Path) -> State | None:
        try:
            return cls(**json.loads(_state_file(folder).read_text()))
        except (OSError, ValueError, TypeError):
            return None

    def save(self, folder: Path) -> None:
        draft = _state_file(folder).with_suffix(".part")
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(asdict(self), file)
        draft.replace(_state_file(folder))


def main() -> int:
    options = _options()
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return _run(Path(options.data_dir), options.port)
    except KeyboardInterrupt:
        print("\nStopped. Start again to continue; `make clean` removes the demo.")
        return 0
    except Failed as fault:
        print(f"demo: {fault}", file=sys.stderr)
        return 1


def _run(folder: Path, port: int) -> int:
    url = f"http://127.0.0.1:{port}"
    print(f"Starting Stationmaster on {url}, with its data in {folder} …", flush=True)
    _check_port(port)
    state = _prepared(folder)
    server = subprocess.Popen(
        [*PROGRAM, "up", "--data-dir", str(folder), "--port", str(port)],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr is not None
    listening = threading.Event()
    lines = threading.Thread(target=_pass_on, args=(server.stderr, listening))
    lines.start()
    try:
        _wait_until_ready(url, server, listening)
        if not state.is_filled:
            _replay(url, state.key, date.fromisoformat(state.day))
            state.is_filled = True
            state.save(folder)
        _introduce(url, state, _password_link(folder, url))
        return server.wait()
    except (httpx.HTTPError, subprocess.CalledProcessError) as fault:
        raise Failed(f"the recordings could not be sent: {fault}; start again to go on") from fault
    finally:
        if server.poll() is None:
            server.terminate()
        server.wait()
        lines.join()


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _check_port(port: int) -> None:
    """Nothing is made, and nothing is sent, where another program has the port."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError as fault:
        raise Failed(
            f"port {port} is taken ({fault.strerror}); choose another: make run PORT={port + 1}"
        ) from fault


def _prepared(folder: Path) -> State:
    """The installation of the demo, made where there is none, and the key of its first start."""
    if (state := State.load(folder)) is not None:
        return state
    if any(folder.glob("*")) and not _was_made_here(folder):
        raise Failed(
            f"{folder} holds something else than a demo; choose another: make run DEMO_DIR=demo2"
        )
    made = _json("init", "--data-dir", str(folder), "--org", "Demo", "--owner", OWNER)
    key = made["api_key"]
    if key is None:
        # A start that was stopped has made it, and its key was never kept.
        key = _json("keys", "create", "--data-dir", str(folder), "--name", "demo")["api_key"]
    state = State(key, str(datetime.now(UTC).date()))
    state.save(folder)
    return state


def _was_made_here(folder: Path) -> bool:
    """Whether the folder is a demo's installation that a stopped start has left, or less."""
    if not (folder / "stationmaster.json").exists():
        # `init` itself refuses what it has not begun.
        return True
    command = [*PROGRAM, "members", "list", "--data-dir", str(folder), "--json"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        return "no organization yet" in done.stderr
    return {member["email"] for member in json.loads(done.stdout)["members"]} <= {OWNER}


def _state_file(folder: Path) -> Path:
    return folder / "demo.json"


def day_of(run: str, today: date) -> date:
    """Each recorded session gets a day of its own, the first one yesterday."""
    return today - timedelta(days=1 + RUNS.index(run))


def _captured() -> list[Path]:
    """The recordings of real agents; those made by hand say so."""
    folders = sorted(RECORDINGS.iterdir())
    return [f for f in folders if "made" not in json.loads((f / "expected.json").read_text())]


def _replay(url: str, key: str, today: date) -> None:
    print("Replaying recorded sessions of six agents, over OTLP and from transcripts …", flush=True)
    headers = {"authorization": f"Bearer {key}"}
    with httpx.Client(base_url=url, headers=headers, timeout=60) as http:
        for agent in _captured():
            for request in redate.index(agent):
                data = (agent / "otlp" / Path(request["file"]).name).read_bytes()
                if request["content_encoding"] == "gzip":
                    data = gzip.decompress(data)
                day = day_of(request["run"], today)
                is_json = request["content_type"] == "application/json"
                data = (
                    redate.text(data, day)
                    if is_json
                    else redate.protobuf(data, request["signal"], day)
                )
                http.post(
                    request["path"], content=data, headers={"content-type": request["content_type"]}
                ).raise_for_status()
    with tempfile.TemporaryDirectory() as scratch:
        _write_transcripts(Path(scratch), today)
        subprocess.run(
            [*PROGRAM, "ingest", scratch, "--url", url],
            check=True,
            env={**os.environ, "STATIONMASTER_KEY": key},
            stderr=subprocess.DEVNULL,
        )


def _write_transcripts(folder: Path, today: date) -> None:
    for agent in _captured():
        sessions = json.loads((agent / "expected.json").read_text())["sessions"]
        days = {session["session_id"]: day_of(session["run"], today) for session in sessions}
        for file in sorted((agent / "transcripts").rglob("*.jsonl")):
            day = next((d for session, d in days.items() if session in file.name), None)
            if day is not None:
                (folder / file.name).write_bytes(redate.text(file.read_bytes(), day))


def _password_link(folder: Path, url: str) -> str:
    """Where the owner chooses a password; works once."""
    made = _json("members", "link", OWNER, "--data-dir", str(folder), STATIONMASTER_APP_URL=url)
    return made["url"]


def _introduce(url: str, state: State, link: str) -> None:
    today = date.fromisoformat(state.day)
    first, last = today - timedelta(days=len(RUNS)), today - timedelta(days=1)
    print(f"\nStationmaster runs on {url}\nAPI key: {state.key}\nChoose a password: {link}\n\nTry:")
    for report in ("tokens", "tools", "activity", "productivity", "users"):
        print(
            f'  curl -s -H "Authorization: Bearer {state.key}" '
            f'"{url}/api/v1/analytics/{report}?startDate={first}&endDate={last}"'
        )
    print("\nStop with Ctrl-C.", flush=True)


def _wait_until_ready(url: str, server: subprocess.Popen[str], listening: threading.Event) -> None:
    """Return once the server that was started here answers; another program's answer is no sign."""
    while not listening.wait(0.1):
        if server.poll() is not None:
            raise Failed(f"the server ended at once (exit code {server.returncode})")
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            if httpx.get(f"{url}/readyz", timeout=2).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise Failed("the server did not become ready")


def _pass_on(lines: IO[str], listening: threading.Event) -> None:
    """Print what the server says, but for its introduction: the demo has its own."""
    with lines:
        for line in lines:
            if line.startswith(LISTENS):
                listening.set()
            elif not line.startswith(("Sign in: ", "No password yet?", "Install the client")):
                sys.stderr.write(line)


def _json(*arguments: str, **variables: str) -> dict[str, str]:
    """What a command of the program prints."""
    done = subprocess.run(
        [*PROGRAM, *arguments, "--json"],
        check=False,
        capture_output=True,
        env={**os.environ, **variables},
        text=True,
    )
    if done.returncode != 0:
        raise Failed(done.stderr.strip().removeprefix("stationmaster: "))
    return json.loads(done.stdout)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", default="demo-data")
    parser.add_argument("--port", type=int, default=8700)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
