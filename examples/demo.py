"""Start the platform with recorded telemetry of real agents, moved to the days before today.

Everything goes through the public doors: `stationmaster init`, `stationmaster up`, OTLP over HTTP
and `stationmaster ingest`. Run it as `make run`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import httpx
import redate

RECORDINGS = Path(__file__).parent / "recordings"
RUNS = ("basic", "mcp", "short", "denied", "ask")
PROGRAM = [sys.executable, "-m", "stationmaster"]
START_TIMEOUT_S = 60


def main() -> int:
    options = _options()
    folder = ["--data-dir", options.data_dir]
    made = _json(
        [*PROGRAM, "init", *folder, "--org", "Demo", "--owner", "owner@example.com", "--json"]
    )
    key = (
        made["api_key"]
        or _json([*PROGRAM, "keys", "create", *folder, "--name", "demo", "--json"])["api_key"]
    )
    server = subprocess.Popen([*PROGRAM, "up", *folder, "--port", str(options.port)])
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        url = f"http://127.0.0.1:{options.port}"
        _wait_until_ready(url, server)
        today = datetime.now(UTC).date()
        if made["api_key"]:
            _replay(url, key, today)
        link = _json(
            [*PROGRAM, "members", "link", "owner@example.com", *folder, "--json"],
            STATIONMASTER_APP_URL=url,
        )["url"]
        _introduce(url, key, link, today)
        return server.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        if server.poll() is None:
            server.terminate()
            server.wait()


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def day_of(run: str, today: date) -> date:
    """Each recorded session gets a day of its own, the first one yesterday."""
    return today - timedelta(days=1 + RUNS.index(run))


def _captured() -> list[Path]:
    """The recordings of real agents; those made by hand say so."""
    folders = sorted(RECORDINGS.iterdir())
    return [f for f in folders if "made" not in json.loads((f / "expected.json").read_text())]


def _replay(url: str, key: str, today: date) -> None:
    print("Replaying recorded sessions of six agents, over OTLP and from transcripts …")
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


def _introduce(url: str, key: str, link: str, today: date) -> None:
    first, last = today - timedelta(days=len(RUNS)), today - timedelta(days=1)
    print(f"\nStationmaster runs on {url}\nAPI key: {key}\nChoose a password: {link}\n\nTry:")
    for report in ("tokens", "tools", "activity", "productivity", "users"):
        print(
            f'  curl -s -H "Authorization: Bearer {key}" '
            f'"{url}/api/v1/analytics/{report}?startDate={first}&endDate={last}"'
        )
    print("\nStop with Ctrl-C.", flush=True)


def _wait_until_ready(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            sys.exit(f"the server ended at once (exit {server.returncode}); is the port taken?")
        try:
            if httpx.get(f"{url}/readyz", timeout=2).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    sys.exit("the server did not become ready")


def _json(command: list[str], **more: str) -> dict[str, str]:
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env={**os.environ, **more})
    return json.loads(done.stdout)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", default="demo-data")
    parser.add_argument("--port", type=int, default=8700)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
