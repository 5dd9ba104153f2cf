"""A thousand calls at once, and a gateway that is killed among them: the cap holds, and nothing
stays held."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from stationmaster import clock
from tests.limits.cases import Ledger, a_budget, open_holds, spent, usd
from tests.support import gateways
from tests.support.gateways import Installation
from tests.support.processes import ServerProcess
from tests.support.servers import settings_for

pytestmark = pytest.mark.slow

CALLS = 1_000
CAP = usd(4)
INPUT, OUTPUT = 200, 40
PRICE = (INPUT * 3 + OUTPUT * 15) * 10**6
"""What each call truly costs, in picodollars."""
BODY = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 100,
    "stream": True,
    "messages": [{"role": "user", "content": "hi"}],
}
FRAMES = [
    {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": INPUT}}},
    {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "x" * 4 * OUTPUT}},
    {"type": "message_delta", "usage": {"output_tokens": OUTPUT}},
]


class Provider:
    """Streams the same answer to everybody, and knows how many calls it was paid for."""

    def __init__(self) -> None:
        self.calls = 0
        self.url = ""

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        await request.read()
        self.calls += 1
        answer = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await answer.prepare(request)
        for frame in FRAMES:
            await answer.write(b"data: " + json.dumps(frame).encode() + b"\n\n")
            await asyncio.sleep(0.2)
        return answer

    async def _serve(self, ready: threading.Event, end: asyncio.Event) -> None:
        app = web.Application()
        app.router.add_post("/{path:.*}", self._answer)
        runner = web.AppRunner(app, handler_cancellation=True)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=2048)
        await site.start()
        _, port = runner.addresses[0]
        self.url = f"http://127.0.0.1:{port}"
        ready.set()
        await end.wait()
        await runner.cleanup()

    @contextmanager
    def running(self) -> Iterator[None]:
        ready, end = threading.Event(), asyncio.Event()
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_until_complete, args=(self._serve(ready, end),))
        thread.start()
        assert ready.wait(10)
        try:
            yield
        finally:
            loop.call_soon_threadsafe(end.set)
            thread.join(10)
            loop.close()


async def _call(session: aiohttp.ClientSession, url: str, key: str) -> str:
    """How one call ended."""
    try:
        async with session.post(
            f"{url}/gateway/anthropic/v1/messages", json=BODY, headers={"x-api-key": key}
        ) as answer:
            content = await answer.read()
    except aiohttp.ClientError:
        return "broken off"
    if answer.status == 429:
        return "refused" if b"billing_error" in content else content.decode()
    return "answered" if answer.status == 200 else f"{answer.status} {content[:200]!r}"


async def _crowd(processes: list[ServerProcess], key: str) -> Counter[str]:
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=60)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
        calls = [
            asyncio.create_task(_call(session, processes[number % 2].url, key))
            for number in range(CALLS)
        ]
        await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.to_thread(processes[1].kill)
        return Counter(await asyncio.gather(*calls))


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    with gateways.an_installation(settings_for(tmp_path, "sqlite")) as made:
        (made.settings.data_dir / "stationmaster.json").write_text('{"format":1}\n')
        yield made


def test_a_thousand_calls_at_once_and_a_killed_gateway_stay_within_the_cap(
    installation: Installation,
) -> None:
    budget = a_budget(installation.db, installation.org, amount=CAP.picodollars)
    provider = Provider()
    data = installation.settings.data_dir
    processes = [ServerProcess(data, command="gateway") for _ in range(2)]
    with provider.running():
        installation.provider("anthropic", "anthropic", provider.url)
        for process in processes:
            process.begin()
        for process in processes:
            process.await_ready()
        try:
            ends = asyncio.run(_crowd(processes, installation.key))
        finally:
            processes[0].stop()

    assert set(ends) <= {"answered", "refused", "broken off"}, ends
    assert ends["answered"] > 0
    assert ends["broken off"] > 0
    # Of the killed one, nobody has settled; what is held ends with its time.
    later = clock.now_ms() + 10 * 60_000
    ledger = Ledger(installation.db, 1)
    while ledger.sweep(later):
        pass
    assert open_holds(installation.db) == 0
    assert provider.calls * PRICE <= CAP.picodollars
    assert ends["answered"] * PRICE <= spent(installation.db, budget) <= CAP.picodollars
