from __future__ import annotations

import threading

import pytest

from stationmaster.access.signing_in.buckets import Throttle
from stationmaster.errors import RateLimited
from tests.access.signing_in.clocks import Elapsed

pytestmark = pytest.mark.attack


def is_refused(throttle: Throttle, name: str = "ada") -> bool:
    try:
        throttle.take(name)
    except RateLimited:
        return True
    return False


def test_as_many_attempts_as_there_are_pass_and_the_next_says_how_long_to_wait() -> None:
    throttle = Throttle("sign-in", 3, 900, Elapsed())
    assert [is_refused(throttle) for _ in range(3)] == [False] * 3
    with pytest.raises(RateLimited) as refused:
        throttle.take("ada")
    assert refused.value.retry_after_s == 300


def test_each_name_has_its_own() -> None:
    throttle = Throttle("sign-in", 1, 900, Elapsed())
    throttle.take("ada")
    assert not is_refused(throttle, "bob")


def test_what_is_given_back_does_not_count_and_never_makes_more_than_there_were() -> None:
    throttle = Throttle("sign-in", 2, 900, Elapsed())
    for _ in range(5):
        throttle.take("ada")
        throttle.give_back("ada")
    throttle.give_back("ada")
    assert [is_refused(throttle) for _ in range(3)] == [False, False, True]


def test_attempts_come_back_evenly() -> None:
    clock = Elapsed()
    throttle = Throttle("sign-in", 10, 900, clock)
    for _ in range(10):
        throttle.take("ada")
    clock.now = 89.0
    assert is_refused(throttle)
    clock.now = 90.0
    assert not is_refused(throttle)
    assert is_refused(throttle)


def test_attempts_at_once_count_before_any_of_them_has_failed() -> None:
    throttle = Throttle("sign-in", 10, 900, Elapsed())
    start, passed = threading.Barrier(8), []

    def attempt() -> None:
        start.wait()
        passed.extend(name for name in range(5) if not is_refused(throttle))

    threads = [threading.Thread(target=attempt) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(passed) == 10
