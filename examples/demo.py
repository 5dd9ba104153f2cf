"""Start the platform with an organization worth looking at: some thirty invented people, sixty days
made of recorded sessions of real agents, repositories, caps and computers.

Everything goes through the public doors: `stationmaster init`, `stationmaster up` and the HTTP API.
Run it as `make run`. Stopped at any point, the next start continues; on a later day it adds the
days that have passed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import IO

import httpx
import msgspec
from demo_data import events, git_server, organization, plan, repositories
from demo_data.people import DAYS, OWNER, PEOPLE

from stationmaster import clock, settings

PROGRAM = [sys.executable, "-m", "stationmaster"]
LISTENS = "Stationmaster listens on "
"""How the server begins the line that it prints once the port is its own."""
NOTICE = (
    "Demo data: invented people; recorded sessions of real agents, moved to other days, "
    "with 30 times their tokens."
)
START_TIMEOUT_S = 60
REPORT_TIMEOUT_S = 300
_EVENTS_PER_REQUEST = 8_000
_GIT_PORT_OFFSET = 10_000


class Failed(Exception):
    """What went wrong, in a sentence for a person."""


@dataclass
class State:
    """What a start leaves for the next one, in the demo's own folder.

    `day` (UTC) is that of the first start, `days` how many before it have data, `through` the time
    in milliseconds before which all events were sent; `is_set_up`, whether caps, computers and
    repositories are there.
    """

    key: str
    day: str
    days: int
    git_port: int
    through: int = 0
    is_set_up: bool = False

    @property
    def started(self) -> date:
        return date.fromisoformat(self.day)

    @property
    def first(self) -> date:
        return self.started - timedelta(days=self.days)

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
    clock.freeze(settings.load({}).now)
    try:
        return _run(Path(options.data_dir), options.port, options.days)
    except KeyboardInterrupt:
        print("\nStopped. Start again to continue; `make clean` removes the demo.")
        return 0
    except Failed as fault:
        print(f"demo: {fault}", file=sys.stderr)
        return 1


def _run(folder: Path, port: int, days: int = DAYS) -> int:
    url = f"http://127.0.0.1:{port}"
    print(f"Starting Stationmaster on {url}, with its data in {folder} …", flush=True)
    _check_port(port)
    state = _prepared(folder, port, days)
    try:
        with (
            git_server.serving(folder / "git", state.git_port) as git_port,
            _serving(folder, port, state) as server,
        ):
            _wait_until_ready(url, server)
            _fill(url, folder, state, git_port)
            _introduce(url, folder, state, _sign_in_link(folder, url))
            return server.process.wait()
    except (httpx.HTTPError, subprocess.CalledProcessError) as fault:
        raise Failed(f"the demo could not be filled: {fault}; start again to go on") from fault


class _Server:
    """The process of the platform. What it says is passed on, but for its introduction: the demo
    has its own."""

    def __init__(self, folder: Path, port: int, state: State) -> None:
        self.listening = threading.Event()
        at = f"{events.HOST}:{state.git_port}"
        self.process = subprocess.Popen(
            [*PROGRAM, "up", "--data-dir", str(folder), "--port", str(port)],
            stderr=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "STATIONMASTER_NOTICE": NOTICE,
                # What is cut off is done again by the next start; a person waits for Ctrl-C.
                "STATIONMASTER_SHUTDOWN_SECONDS": "2",
                "STATIONMASTER_REPOS_PRIVATE_HOSTS": at,
                "STATIONMASTER_REPOS_HTTP_HOSTS": at,
                "STATIONMASTER_CREDIT_RESET_DAY": str(organization.reset_day(state.started)),
            },
        )
        assert self.process.stderr is not None
        self._lines = threading.Thread(target=self._pass_on, args=(self.process.stderr,))
        self._lines.start()

    def _pass_on(self, lines: IO[str]) -> None:
        with lines:
            for line in lines:
                if line.startswith(LISTENS):
                    self.listening.set()
                elif not line.startswith(("Sign in: ", "No password yet?", "Install the client")):
                    sys.stderr.write(line)

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait()
        self._lines.join()


@contextmanager
def _serving(folder: Path, port: int, state: State) -> Iterator[_Server]:
    server = _Server(folder, port, state)
    try:
        yield server
    finally:
        server.end()


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


def _prepared(folder: Path, port: int, days: int) -> State:
    """The installation of the demo, made where there is none, and what its first start chose."""
    if (state := State.load(folder)) is not None:
        return state
    if any(folder.glob("*")) and not _was_made_here(folder):
        raise Failed(
            f"{folder} holds something else than a demo; choose another: make run DEMO_DIR=demo2"
        )
    at = ("--data-dir", str(folder))
    made = _json("init", *at, "--org", organization.NAME, "--owner", OWNER)
    key = made["api_key"]
    if key is None:
        # A start that was stopped has made it, and its key was never kept.
        key = _json("keys", "create", *at, "--name", "demo")["api_key"]
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as people:
        people.write(organization.member_lines())
        people.flush()
        _json("members", "import", people.name, *at)
    git_port = (port + _GIT_PORT_OFFSET) % 65_536 or 1
    state = State(key, str(clock.today()), days, git_port)
    (folder / "git" / "demo").mkdir(parents=True, exist_ok=True)
    repositories.make(folder / "git" / "demo", clock.today())
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
    known = {OWNER, *(person.email for person in PEOPLE)}
    return {member["email"] for member in json.loads(done.stdout)["members"]} <= known


def _state_file(folder: Path) -> Path:
    return folder / "demo.json"


def _fill(url: str, folder: Path, state: State, git_port: int | None) -> None:
    """Send the days that are missing, wait for their reports, and set up what is beside them."""
    headers = {"authorization": f"Bearer {state.key}"}
    with httpx.Client(base_url=url, headers=headers, timeout=REPORT_TIMEOUT_S) as http:
        reading = None
        if not state.is_set_up and git_port is not None:
            print("Reading five repositories …", flush=True)
            reading = _Reading(http, folder / "git" / "demo", git_port)
            reading.start()
        now = clock.now_ms()
        _send(http, state, now)
        state.through = now
        state.save(folder)
        print("Adding up the days …", flush=True)
        # Now, where the server leaves a day alone for a while that it has just counted a part of.
        _json("rollup", "--data-dir", str(folder))
        if not state.is_set_up:
            organization.set_up(http)
            if reading is not None:
                reading.finish()
            state.is_set_up = True
            state.save(folder)


class _Reading(threading.Thread):
    """Reads the repositories beside everything else; stopping the demo does not wait for it."""

    def __init__(self, http: httpx.Client, folder: Path, port: int) -> None:
        super().__init__(daemon=True)
        self._arguments = (http, folder, port)
        self._fault: Exception | None = None

    def run(self) -> None:
        try:
            repositories.read(*self._arguments)
        except Exception as fault:
            self._fault = fault

    def finish(self) -> None:
        self.join()
        if self._fault is not None:
            raise self._fault


def _send(http: httpx.Client, state: State, now: int) -> None:
    """Send every event between the last start and now, in the order of their times."""
    first = max(state.first, _day_of(state.through) - timedelta(days=1))
    wanted = [
        event
        for number in range((clock.today() - first).days + 1)
        for session in plan.sessions_of(first + timedelta(days=number), state.started)
        for event in events.events_of(session)
        if state.through < event.ts <= now
    ]
    wanted.sort(key=lambda event: event.ts)
    if wanted:
        print(f"Sending {len(wanted):,} events of recorded sessions …", flush=True)
    encode = msgspec.json.Encoder().encode
    for start in range(0, len(wanted), _EVENTS_PER_REQUEST):
        lines = b"\n".join(map(encode, wanted[start : start + _EVENTS_PER_REQUEST]))
        http.post(
            "/api/platform/v1/events",
            content=gzip.compress(lines, 1),
            headers={"content-type": "application/x-ndjson", "content-encoding": "gzip"},
        ).raise_for_status()


def _day_of(ms: int) -> date:
    return date(1970, 1, 1) + timedelta(days=ms // 86_400_000)


def _sign_in_link(folder: Path, url: str) -> str:
    made = _json("sign-in-link", "--data-dir", str(folder), STATIONMASTER_APP_URL=url)
    return made["url"]


def _introduce(url: str, folder: Path, state: State, link: str) -> None:
    last = clock.today() - timedelta(days=1)
    first = last - timedelta(days=6)
    print(f"\nOpen {link}\n")
    print("The link signs in as the owner, once, within 15 minutes; another one:")
    print(f"  .venv/bin/stationmaster sign-in-link --data-dir {shlex.quote(str(folder))}\n")
    print(f"API key: {state.key}\n\nTry:")
    for report in ("tokens", "tools", "activity", "productivity", "users"):
        print(
            f'  curl -s -H "Authorization: Bearer {state.key}" '
            f'"{url}/api/v1/analytics/{report}?startDate={first}&endDate={last}"'
        )
    print("\nStop with Ctrl-C.", flush=True)


def _wait_until_ready(url: str, server: _Server) -> None:
    """Return once the server that was started here answers; another program's answer is no sign."""
    while not server.listening.wait(0.1):
        if server.process.poll() is not None:
            raise Failed(f"the server ended at once (exit code {server.process.returncode})")
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and server.process.poll() is None:
        try:
            if httpx.get(f"{url}/readyz", timeout=2).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise Failed("the server did not become ready")


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
    parser.add_argument("--days", type=int, default=DAYS, help="How many days have data.")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
