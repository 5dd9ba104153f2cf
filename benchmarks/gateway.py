"""The gateway beside LiteLLM's proxy and a bare pass-through: calls a second, what each adds to a
call and to the first byte of a stream, and the memory of a thousand open streams.
"""

from __future__ import annotations

import json
import math
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil

from benchmarks import peers
from benchmarks.processes import running
from benchmarks.results import Result

ROUNDS = 3
SECONDS = 3.0
CONNECTIONS = 8
STREAMS = 1_000
BODY_BYTES = 20_000
READY_SECONDS_MAX = 90
RATE_GOAL, BARE_GOAL = 10.0, 0.6
FIRST_BYTE_GOAL_MS = 5.0
MEMORY_GOAL_MB = 300
PATH = "/v1/messages"
_LITELLM = """
model_list:
  - model_name: claude-sonnet-4-5
    litellm_params: {{model: anthropic/claude-sonnet-4-5, api_base: "{url}", api_key: sk-x}}
general_settings: {{dangerously_permit_weak_or_unset_master_key: true}}
"""


def run() -> Iterator[Result]:
    """Every proxy in turn in each round, so that a busy moment hits all of them."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
        ports = {"provider": _free_port()}
        apps = (sys.executable, "-m", "benchmarks.gateway_apps")
        stack.enter_context(running([*apps, "provider", str(ports["provider"])], ports["provider"]))
        ports["bare"] = _free_port()
        order = [*apps, "bare", str(ports["bare"]), str(ports["provider"])]
        stack.enter_context(running(order, ports["bare"]))
        key, pid, ports["gateway"] = stack.enter_context(_gateway(Path(folder), ports["provider"]))
        if (program := peers.python("litellm")) is not None:
            ports["litellm"] = stack.enter_context(_litellm(program, folder, ports["provider"]))
        yield _result(ports, key, pid)


def _result(ports: dict[str, int], key: str, pid: int) -> Result:
    rates: dict[str, list[dict[str, Any]]] = {name: [] for name in ports}
    for _ in range(ROUNDS):
        for name, port in ports.items():
            rates[name].append(_load(port, _request(name, key)))
    first = {name: _first_bytes(port, _request(name, key, True)) for name, port in ports.items()}
    memory = _open_streams(ports["gateway"], _request("gateway", key, True, "keep open"), pid)
    middle = {
        name: {each: statistics.median(one[each] for one in found) for each in found[0]}
        for name, found in rates.items()
    }
    per_second = {name: found["per_second"] for name, found in middle.items()}
    rows = [
        [
            name,
            f"{found['per_second']:,.0f}",
            f"{found['p50_ms'] - middle['provider']['p50_ms']:.1f} ms",
            f"{found['p99_ms'] - middle['provider']['p99_ms']:.1f} ms",
            "–" if math.isnan(first[name]) else f"{first[name] - first['provider']:.1f} ms",
        ]
        for name, found in middle.items()
    ]
    of_bare = per_second["gateway"] / per_second["bare"]
    added = first["gateway"] - first["provider"]
    verdict = f"The gateway passes {of_bare:.2f} of what the bare one does (goal {BARE_GOAL})"
    if "litellm" in per_second:
        times = per_second["gateway"] / per_second["litellm"]
        verdict += f", and {times:.1f} times what LiteLLM does (goal {RATE_GOAL:.0f})"
    verdict += (
        f". It adds {added:.1f} ms to the first byte of a stream (goal {FIRST_BYTE_GOAL_MS:.0f}), "
        f"and takes {memory:,.0f} MB with {STREAMS:,} open streams (goal {MEMORY_GOAL_MB})."
    )
    return Result(
        name="gateway",
        title="Calls through the gateway",
        about=f"One process each before the same provider on loopback; calls of {BODY_BYTES:,} "
        f"bytes over {CONNECTIONS} connections, median of {ROUNDS} rounds. Added times are beside "
        "asking the provider directly. The gateway checks the key, holds and settles a budget and "
        "stores an event for each call; the bare pass-through, of the same libraries, does nothing "
        "else.",
        columns=["through", "calls/s", "added p50", "added p99", "added to first byte"],
        rows=rows,
        verdict=verdict,
        figures={"gateway_of_bare": of_bare, "first_byte_ms": added, "streams_mb": memory},
    )


@contextmanager
def _gateway(folder: Path, provider_port: int) -> Iterator[tuple[str, int, int]]:
    """The key of an organization with a budget, and the gateway's process and port."""
    from tests.limits.cases import a_budget, usd
    from tests.support import gateways
    from tests.support.servers import settings_for

    with gateways.an_installation(settings_for(folder, "sqlite")) as made:
        data = made.settings.data_dir
        (data / "stationmaster.json").write_text('{"format":1}\n')
        made.provider("anthropic", "anthropic", f"http://127.0.0.1:{provider_port}")
        a_budget(made.db, made.org, amount=usd(1_000_000).picodollars)
        port = _free_port()
        order = [sys.executable, "-m", "stationmaster", "gateway", "--data-dir", data]
        with running([*order, "--port", str(port)], port) as process:
            yield made.key, process.pid, port


@contextmanager
def _litellm(program: Path, folder: str, provider_port: int) -> Iterator[int]:
    config = Path(folder) / "litellm.yaml"
    config.write_text(_LITELLM.format(url=f"http://127.0.0.1:{provider_port}"))
    port = _free_port()
    order = [program / "litellm", "--config", config, "--host", "127.0.0.1"]
    order += ["--port", str(port), "--num_workers", "1"]
    with running(order, port):
        _await_answer(port, _request("litellm", "sk-any"))
        yield port


def _await_answer(port: int, request: str) -> None:
    """Return once a call is answered: some servers listen before they can."""
    give_up = time.monotonic() + READY_SECONDS_MAX
    answer = b""
    while not answer.startswith(b"HTTP/1.1 200 "):
        if time.monotonic() > give_up:
            raise RuntimeError(answer)
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            connection.sendall(request.encode())
            answer = connection.recv(300)
        time.sleep(0.5)


def _request(name: str, key: str, is_stream: bool = False, more: str = "") -> str:
    """A call as bytes of the wire; what is not the gateway takes any key."""
    text = more.ljust(BODY_BYTES, "x")
    said = [
        {
            "role": "user",
            "content": [{"type": "text", "text": text}, {"type": "text", "text": more}],
        }
    ]
    body = {"model": "claude-sonnet-4-5", "max_tokens": 1000, "stream": is_stream, "messages": said}
    content = json.dumps(body, separators=(",", ":"))
    path = f"/gateway/anthropic{PATH}" if name == "gateway" else PATH
    fields = {
        "Host": "127.0.0.1",
        "x-api-key": key,
        "anthropic-version": "2023-06-01",
        "Content-Type": "application/json",
        "Content-Length": str(len(content)),
    }
    head = "".join(f"{field}: {value}\r\n" for field, value in fields.items())
    return f"POST {path} HTTP/1.1\r\n{head}\r\n{content}"


def _load(port: int, request: str) -> dict[str, Any]:
    order = {
        "port": port, "requests": [request], "seconds": SECONDS, "connections": CONNECTIONS,
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.serve_client"],
        input=json.dumps(order), capture_output=True, text=True, check=True,
    )  # fmt: skip
    return dict(json.loads(done.stdout))


def _first_bytes(port: int, request: str) -> float:
    """Milliseconds to the first byte of a streamed body, median; NaN where none comes."""
    took = []
    for _ in range(60):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            began = time.perf_counter()
            connection.sendall(request.encode())
            seen = b""
            while not seen.partition(b"\r\n\r\n")[2]:
                if not (data := connection.recv(65536)):
                    return math.nan
                seen += data
            took.append((time.perf_counter() - began) * 1000)
            while not seen.endswith(b"0\r\n\r\n") and (data := connection.recv(65536)):
                seen = seen[-7:] + data
    return statistics.median(took)


def _open_streams(port: int, request: str, pid: int) -> float:
    """Megabytes that a process holds while so many streams are open through it."""
    open_ones = []
    try:
        for _ in range(STREAMS):
            connection = socket.create_connection(("127.0.0.1", port))
            connection.sendall(request.encode())
            open_ones.append(connection)
        for connection in open_ones:
            seen = b""
            while b"message_start" not in seen:
                seen += connection.recv(65536)
        return psutil.Process(pid).memory_info().rss / 2**20
    finally:
        for connection in open_ones:
            connection.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
