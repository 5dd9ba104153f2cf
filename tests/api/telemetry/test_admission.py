"""Who sends telemetry while others wait for too long is refused at once and told to return."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from stationmaster.api.telemetry import admission
from stationmaster.api.telemetry.admission import Admission, Overloaded
from stationmaster.errors import Unavailable
from stationmaster.lake.inbox import Inbox
from tests.support.builders import a_key, a_member, an_organization
from tests.support.servers import running_server, settings_for


class Clock:
    now = 0.0

    def monotonic(self) -> float:
        return self.now


def test_the_door_is_shut_while_the_first_inside_has_waited_for_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = Clock()
    monkeypatch.setattr(admission, "time", at)
    entrance = Admission()
    with entrance.inside():
        at.now = admission.PATIENCE_S
        with entrance.inside():
            at.now += 0.001
            with pytest.raises(Unavailable) as refused:
                entrance.check()
    entrance.check()

    assert isinstance(refused.value, Overloaded)
    assert (refused.value.code, refused.value.retry_after_s) == ("overloaded", 5)


@pytest.mark.parametrize("sender", [None, "key"], ids=["quick", "slow"])
def test_a_body_whose_turn_comes_too_late_is_refused_and_not_decoded(
    monkeypatch: pytest.MonkeyPatch, sender: str | None
) -> None:
    at = Clock()
    monkeypatch.setattr(admission, "time", at)
    monkeypatch.setattr(admission, "SLOW_AT_ONCE", 1)
    decoded = []

    def decode(name: str) -> str:
        decoded.append(name)
        at.now += admission.PATIENCE_S + 0.1
        return name

    async def three() -> list[object]:
        entrance = Admission()
        turns = [entrance.turn(decode, name, sender=sender) for name in "abc"]
        answers = await asyncio.gather(*turns, return_exceptions=True)
        return [*answers, await entrance.turn(decode, "d", sender=sender)]

    answers = asyncio.run(three())

    assert decoded == ["a", "d"]
    assert [type(answer) for answer in answers] == [str, Overloaded, Overloaded, str]


def test_what_a_large_body_takes_keeps_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    at = Clock()
    monkeypatch.setattr(admission, "time", at)

    async def two() -> str:
        entrance = Admission()
        begun, done = threading.Event(), threading.Event()

        def decode() -> str:
            begun.set()
            assert done.wait(10)
            return "large"

        large = asyncio.create_task(entrance.turn(decode, sender="key"))
        assert await asyncio.to_thread(begun.wait, 10)
        at.now += 10 * admission.PATIENCE_S
        entrance.check()
        small = await entrance.turn(lambda: "small", sender=None)
        done.set()
        return small + await large

    assert asyncio.run(two()) == "smalllarge"


def test_large_bodies_of_one_sender_leave_a_turn_for_others_and_wait_for_no_longer_than_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(admission, "PATIENCE_S", 0.2)

    async def three() -> list[object]:
        entrance = Admission()
        done = threading.Event()

        def decode(name: str) -> str:
            assert name == "theirs" or done.wait(10)
            return name

        first = asyncio.create_task(entrance.turn(decode, "ours", sender="a"))
        await asyncio.sleep(0)
        second = asyncio.create_task(entrance.turn(decode, "ours", sender="a"))
        await asyncio.sleep(0)
        theirs = await entrance.turn(decode, "theirs", sender="b")
        # It is refused while the first is still being decoded.
        refused = await asyncio.gather(second, return_exceptions=True)
        done.set()
        return [theirs, *refused, await first]

    theirs, refused, ours = asyncio.run(three())

    assert (theirs, type(refused), ours) == ("theirs", Overloaded, "ours")


def test_the_loop_looks_around_between_two_bodies() -> None:
    rounds = 0
    seen = []

    async def two() -> None:
        entrance = Admission()

        async def others() -> None:
            nonlocal rounds
            while True:
                rounds += 1
                await asyncio.sleep(0)

        def decode() -> None:
            seen.append(rounds)

        task = asyncio.create_task(others())
        await asyncio.gather(*(entrance.turn(decode, sender=None) for _ in range(3)))
        task.cancel()

    asyncio.run(two())

    assert len(set(seen)) == 3


@pytest.mark.parametrize("path", ["/v1/logs", "/api/platform/v1/events"])
def test_a_server_whose_storage_hangs_refuses_and_takes_again_when_it_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(admission, "PATIENCE_S", 0.05)
    hanging: list[Future[None]] = []

    async def store(inbox: Inbox, delivery: object) -> None:
        hanging.append(Future())
        await asyncio.wrap_future(hanging[-1])

    with running_server(settings_for(tmp_path, "sqlite")) as server, ThreadPoolExecutor(1) as pool:
        org = an_organization(server.services.db)
        ada = a_member(server.services.db, org, "ada@example.com")
        key = a_key(server.services.db, org, ada)
        with server.client(key) as http:

            def send() -> httpx.Response:
                return http.post(path, json=[] if path.endswith("events") else {})

            monkeypatch.setattr(Inbox, "store", store)
            first = pool.submit(send)
            while not hanging:
                time.sleep(0.001)
            # The first was inside before: from now on it has waited for longer than that.
            time.sleep(admission.PATIENCE_S)
            refused = send()
            hanging[0].set_result(None)

            assert first.result(10).status_code == 200
            assert refused.status_code == 503
            assert int(refused.headers["retry-after"]) > 0
