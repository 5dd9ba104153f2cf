"""A provider that fails, delays or costs too much leaves a wiki whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stationmaster.wiki.generate import Wiki
from stationmaster.wiki.prose.budget import Limits, Prices
from stationmaster.wiki.prose.enrich import enrich
from stationmaster.wiki.prose.providers import Name
from tests.wiki.prose.models import Asked, Says, serving
from tests.wiki.prose.wikis import (
    BOTH,
    CORE,
    LIMITS,
    Slots,
    at_once,
    fill,
    good,
    page,
    wiki,
)


def fails(says: Says) -> Callable[[Asked], Says]:
    return lambda _: says


WRONG = {
    "nonsense": Says("Sorry, here is a poem about clocks."),
    "not JSON": Says('{"slot": "module-purpose", "sentences": ['),
    "another form": Says('{"slot": "module-purpose", "sentences": "text"}'),
    "another slot": Says('{"slot": "overview", "sentences": []}'),
    "nested": Says("{" * 50_000 + "}" * 50_000),
    "no protocol": Says(raw=b"<html>"),
    "empty": Says(raw=b""),
    "endless": Says(raw=b" " * 3_000_000),
    "refused": Says(stop="refusal"),
    "length": Says('{"slot": "module-purpose", "sentences": []}', stop="length"),
    "rate limit": Says("slow down", status=429, headers={"retry-after": "1"}),
    "very long delay": Says("slow down", status=429, headers={"retry-after": "86400"}),
    "odd delay": Says("slow down", status=429, headers={"retry-after": "soon"}),
    "broken": Says("oops", status=503),
    "key": Says("no such key", status=401),
    "elsewhere": Says("", status=302, headers={"location": "http://127.0.0.1:1/"}),
}


@pytest.mark.parametrize("provider", BOTH)
@pytest.mark.parametrize("says", WRONG.values(), ids=WRONG)
def test_a_wiki_is_as_it_was_when_a_model_gives_no_answer(says: Says, provider: Name) -> None:
    with serving(fails(says)) as server:
        done = fill(wiki(CORE), server, provider=provider)

    assert done.wiki.pages == wiki(CORE).pages
    assert done.is_partial
    [record] = done.records
    assert record.state == "failed"
    assert record.reason != ""


def test_a_call_that_takes_too_long_is_given_up() -> None:
    with serving(fails(Says(delay_s=0.5))) as server:
        done = enrich(wiki(CORE), server.endpoint(timeout_s=0.05), LIMITS, Slots(), sleep=at_once)

    assert done.wiki.pages == wiki(CORE).pages
    assert [record.reason for record in done.records] == ["timeout"]


def test_nobody_listening_is_a_failure_like_any_other() -> None:
    with serving(good) as server:
        endpoint = server.endpoint()
    done = enrich(wiki(CORE), endpoint, LIMITS, Slots(), sleep=at_once)

    assert [record.reason for record in done.records] == ["unreachable"]


@pytest.mark.parametrize(
    ("headers", "waited"),
    [({"retry-after": "7"}, [7.0, 7.0]), ({}, [1.0, 2.0]), ({"retry-after": "0"}, [0.0, 0.0])],
)
def test_a_call_is_repeated_after_the_delay_that_the_server_asks_for(
    headers: dict[str, str], waited: list[float]
) -> None:
    delays: list[float] = []

    async def sleep(delay: float) -> None:
        delays.append(delay)

    def third(asked: Asked) -> Says:
        late = len(server.asked) < 3
        return Says("later", status=429, headers=headers) if late else good(asked)

    with serving(third) as server:
        done = enrich(wiki(CORE), server.endpoint(), LIMITS, Slots(), sleep=sleep)

    assert [record.state for record in done.records] == ["accepted"]
    assert delays == waited


@pytest.mark.parametrize("member", ["max_tokens", "response_format"])
def test_a_server_that_knows_other_words_is_asked_in_its_own(member: str) -> None:
    def strict(asked: Asked) -> Says:
        if member in asked.body:
            hint = "use max_completion_tokens" if member == "max_tokens" else "no response_format"
            return Says(hint, status=400)
        return good(asked)

    with serving(strict) as server:
        done = fill(wiki(CORE), server)

    assert [record.state for record in done.records] == ["accepted"]


def many(count: int) -> Wiki:
    return wiki(*(page(f"modules/m{number}", f"m{number}") for number in range(count)))


def test_no_more_than_four_calls_run_at_once() -> None:
    with serving(lambda asked: good(asked)._replace(delay_s=0.02)) as server:
        fill(many(12), server)

    assert 2 <= server.most_at_once <= 4


def test_after_five_failures_in_a_row_the_rest_is_left_as_it_is() -> None:
    with serving(fails(Says("no", status=400))) as server:
        done = fill(many(30), server)

    assert done.wiki.pages == many(30).pages
    assert done.is_partial
    states = [record.state for record in done.records]
    assert 5 <= states.count("failed") <= 8
    assert len(server.asked) == states.count("failed")
    assert {record.reason for record in done.records if record.state == "skipped"} == {
        "failures in a row"
    }


@pytest.mark.parametrize(
    "limits", [Limits(9_000), Limits(10_000_000, 0.09, Prices(10.0, 10.0))], ids=["tokens", "cost"]
)
def test_a_budget_is_not_overdrawn_and_what_it_paid_for_stays(limits: Limits) -> None:
    with serving(good) as server:
        done = fill(many(30), server, limits=limits)

    states = [record.state for record in done.records]
    assert 1 <= states.count("accepted") < 30
    assert {record.reason for record in done.records if record.state == "skipped"} == {"budget"}
    assert done.usage.sent + done.usage.received <= 9_000
    assert done.is_partial
