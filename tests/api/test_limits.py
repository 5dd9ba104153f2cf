"""The request limit: a bucket per key and one per organization."""

from __future__ import annotations

import pytest

from stationmaster.api.services import Limiter, LimitReached


class Elapsed:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def test_a_limit_of_zero_counts_nothing() -> None:
    limiter = Limiter("requests", 0)

    assert [limiter.take("key_a", "org_a") for _ in range(1000)] == [{}] * 1000


def test_the_fields_tell_policy_and_what_is_left() -> None:
    limiter = Limiter("requests", 60, elapsed_s=Elapsed())

    assert limiter.take("key_a", "org_a") == {
        "RateLimit-Policy": '"key";q=60;w=60, "organization";q=60;w=60',
        "RateLimit": '"key";r=59;t=1, "organization";r=59;t=1',
    }


def test_the_request_after_the_last_is_refused_until_one_has_refilled() -> None:
    elapsed = Elapsed()
    limiter = Limiter("requests", 60, elapsed_s=elapsed)
    for _ in range(60):
        limiter.take("key_a", "org_a")

    with pytest.raises(LimitReached) as refused:
        limiter.take("key_a", "org_a")
    assert refused.value.retry_after_s == 1
    assert refused.value.fields["RateLimit"] == '"key";r=0;t=60, "organization";r=0;t=60'

    elapsed.seconds += 1
    limiter.take("key_a", "org_a")
    with pytest.raises(LimitReached):
        limiter.take("key_a", "org_a")


def test_keys_of_one_organization_share_its_bucket() -> None:
    limiter = Limiter("requests", 2, elapsed_s=Elapsed())
    limiter.take("key_a", "org_a")
    limiter.take("key_b", "org_a")

    with pytest.raises(LimitReached):
        limiter.take("key_c", "org_a")
    limiter.take("key_d", "org_b")


def test_a_refusal_takes_nothing_from_the_other_bucket() -> None:
    elapsed = Elapsed()
    limiter = Limiter("requests", 2, elapsed_s=elapsed)
    limiter.take("key_a", "org_a")
    limiter.take("key_a", "org_a")
    for _ in range(5):
        with pytest.raises(LimitReached):
            limiter.take("key_b", "org_a")

    elapsed.seconds += 30
    fields = limiter.take("key_b", "org_a")

    assert fields["RateLimit"] == '"key";r=1;t=30, "organization";r=0;t=60'


def test_what_is_given_back_can_be_taken_again() -> None:
    limiter = Limiter("requests", 1, elapsed_s=Elapsed())
    for _ in range(10):
        limiter.take("key_a", "org_a")
        limiter.give_back("key_a", "org_a")

    limiter.take("key_a", "org_a")
    with pytest.raises(LimitReached):
        limiter.take("key_a", "org_a")
