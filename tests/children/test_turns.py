"""Turns go to few at a time, and never all of them to one key."""

from __future__ import annotations

import threading
from contextlib import ExitStack

import pytest

from stationmaster.children.turns import Turns


def test_one_key_leaves_a_turn_to_others() -> None:
    turns = Turns(2, 1)
    with turns.of("a") as first, turns.of("a", 0) as second, turns.of("b", 0) as other:
        assert (first, second, other) == (True, False, True)


def test_no_more_than_all_turns_are_held() -> None:
    turns = Turns(2, 2)
    with ExitStack() as held:
        assert all(held.enter_context(turns.of(key, 0)) for key in "ab")
        with turns.of("c", 0) as third:
            assert not third
    with turns.of("c", 0) as third:
        assert third


def test_a_turn_that_is_given_back_goes_to_who_waits() -> None:
    turns = Turns(1, 1)
    got = threading.Event()

    def wait() -> None:
        with turns.of("b"):
            got.set()

    with turns.of("a"):
        waiting = threading.Thread(target=wait)
        waiting.start()
        assert not got.wait(0.05)
    waiting.join(10)
    assert got.is_set()


def test_who_waits_no_more_says_so() -> None:
    turns = Turns(1, 1)

    def look() -> None:
        raise InterruptedError

    with turns.of("a"), pytest.raises(InterruptedError), turns.of("b", look=look):
        pass
