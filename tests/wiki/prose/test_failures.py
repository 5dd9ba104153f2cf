"""A provider that fails, delays or costs too much leaves a wiki whole, and the run says so."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from stationmaster.wiki.making.generate import Wiki
from stationmaster.wiki.making.memo import Kept
from stationmaster.wiki.making.steering import Wanted
from stationmaster.wiki.making.written import Written
from stationmaster.wiki.prose import writing
from stationmaster.wiki.prose.providers import Name
from stationmaster.wiki.prose.session import Limits, Prices
from stationmaster.wiki.prose.writing import Explained
from tests.wiki.prose.models import Asked, Says, serving
from tests.wiki.prose.wikis import (
    BOTH,
    LIMITS,
    Slots,
    about_payments,
    at_once,
    explain,
    honest,
    model,
    planned,
    shop,
)


def fails(says: Says) -> Callable[[Asked], Says]:
    return lambda _: says


WRONG = {
    "nonsense": Says("Sorry, here is a poem about clocks."),
    "not JSON": Says('{"pages": ['),
    "another form": Says('{"pages": "text", "sentences": "text"}'),
    "nested": Says("{" * 50_000 + "}" * 50_000),
    "no protocol": Says(raw=b"<html>"),
    "empty": Says(raw=b""),
    "endless": Says(raw=b" " * 3_000_000),
    "refused": Says(stop="refusal"),
    "length": Says('{"pages": [], "sentences": []}', stop="length"),
    "rate limit": Says("slow down", status=429, headers={"retry-after": "1"}),
    "very long delay": Says("slow down", status=429, headers={"retry-after": "86400"}),
    "odd delay": Says("slow down", status=429, headers={"retry-after": "soon"}),
    "broken": Says("oops", status=503),
    "key": Says("no such key", status=401),
    "elsewhere": Says("", status=302, headers={"location": "http://127.0.0.1:1/"}),
}


def without_failures(wiki: Wiki) -> tuple[Written, ...]:
    """The pages, the first one without the section that states what failed, which it must have."""
    first, *others = wiki.pages
    section = f"## Explained by a model\n\n{wiki.missing}\n\n"
    assert wiki.missing
    assert section in first.body
    return (msgspec.structs.replace(first, body=first.body.replace(section, "")), *others)


@pytest.mark.parametrize("provider", BOTH)
@pytest.mark.parametrize("says", WRONG.values(), ids=WRONG)
def test_a_wiki_is_as_it_was_when_a_model_gives_no_plan(says: Says, provider: Name) -> None:
    with serving(fails(says)) as server:
        done = explain(shop(), server, provider=provider)

    assert without_failures(done.wiki) == shop().pages
    assert done.wiki.model is None
    assert done.is_partial
    assert done.wiki.stats["modelPlansFailed"] == 1
    assert done.records[0].reason != ""
    assert done.wiki.missing == f"Pages could not be planned ({done.records[0].reason})."


@pytest.mark.parametrize("step", ["write", "judge"])
@pytest.mark.parametrize("says", WRONG.values(), ids=WRONG)
def test_nothing_stands_of_a_page_that_could_not_be_written_or_judged(
    says: Says, step: str
) -> None:
    answers = model(write=fails(says)) if step == "write" else model(judge=fails(says))
    with serving(answers) as server:
        done = explain(shop(), server)

    assert without_failures(done.wiki) == shop().pages
    assert done.is_partial
    assert [(record.page, record.state) for record in done.records] == [("Payments", "failed")]


def test_a_page_of_which_a_section_failed_says_so_and_the_run_is_partial() -> None:
    def second_fails(asked: Asked) -> Says:
        return Says("no JSON") if asked.data["section"] == "Section 0 1" else honest(asked)

    with serving(model(second_fails, lambda asked: planned(asked, 1, 3))) as server:
        done = explain(shop(), server)

    [page] = [page for page in done.wiki.pages if page.key == "explained/part-0"]
    assert "1 section could not be written." in page.body
    assert done.is_partial
    assert done.wiki.stats["modelPages"] == done.wiki.stats["modelPagesFailed"] == 1
    [index] = [page for page in done.wiki.pages if page.key == "index"]
    assert "1 page that was planned is missing or incomplete (nonsense)." in index.body


def test_a_call_that_takes_too_long_is_given_up() -> None:
    with serving(fails(Says(delay_s=0.5))) as server:
        endpoint = server.endpoint(timeout_s=0.05)
        done = writing.write(shop(), endpoint, LIMITS, Slots(), sleep=at_once)

    assert without_failures(done.wiki) == shop().pages
    assert [record.reason for record in done.records] == ["timeout"]


def test_a_run_with_a_slow_model_ends_in_time_and_keeps_what_it_has() -> None:
    def slow(asked: Asked) -> Says:
        return honest(asked)._replace(delay_s=0.2)

    began = time.monotonic()
    with serving(model(slow, lambda asked: planned(asked, 12, 6))) as server:
        done = writing.write(
            shop(), server.endpoint(), LIMITS, Slots(), sleep=at_once, time_max_s=0.6
        )

    assert time.monotonic() - began < 4
    assert done.is_partial
    assert "time" in {record.reason for record in done.records}


def test_nobody_listening_is_a_failure_like_any_other() -> None:
    with serving(honest) as server:
        endpoint = server.endpoint()
    done = writing.write(shop(), endpoint, LIMITS, Slots(), sleep=at_once)

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

    answers = model()

    def third(asked: Asked) -> Says:
        late = len(server.asked) < 3
        return Says("later", status=429, headers=headers) if late else answers(asked)

    with serving(third) as server:
        done = writing.write(shop(), server.endpoint(), LIMITS, Slots(), sleep=sleep)

    assert [record.state for record in done.records] == ["written"]
    assert delays == waited


@pytest.mark.parametrize("member", ["max_tokens", "response_format"])
def test_a_server_that_knows_other_words_is_asked_in_its_own(member: str) -> None:
    answers = model()

    def strict(asked: Asked) -> Says:
        if member in asked.body:
            hint = "use max_completion_tokens" if member == "max_tokens" else "no response_format"
            return Says(hint, status=400)
        return answers(asked)

    with serving(strict) as server:
        done = explain(shop(), server)

    assert [record.state for record in done.records] == ["written"]


def test_no_more_than_four_calls_run_at_once() -> None:
    def slow(asked: Asked) -> Says:
        return honest(asked)._replace(delay_s=0.02)

    with serving(model(slow, lambda asked: planned(asked, 6, 3))) as server:
        explain(shop(), server)

    assert 2 <= server.most_at_once <= 4


def test_after_five_failures_in_a_row_nothing_more_is_asked() -> None:
    answers = model(fails(Says("no", status=400)), lambda asked: planned(asked, 12, 6))
    with serving(answers) as server:
        done = explain(shop(), server)

    assert without_failures(done.wiki) == shop().pages
    assert done.is_partial
    assert len(server.asked) <= 1 + 5 + 3
    assert {record.state for record in done.records} == {"failed"}
    assert "failures in a row" in {record.reason for record in done.records}


@pytest.mark.parametrize(
    "limits", [Limits(30_000), Limits(10_000_000, 0.3, Prices(10.0, 10.0))], ids=["tokens", "cost"]
)
def test_a_budget_is_not_overdrawn_and_what_it_paid_for_stays(limits: Limits) -> None:
    with serving(model(honest, lambda asked: planned(asked, 12, 6))) as server:
        done = explain(shop(), server, limits=limits)

    states = [record.state for record in done.records]
    assert states.count("written") < len(states) == 12
    assert done.wiki.stats["modelSentences"] > 0
    assert {record.reason for record in done.records if record.state == "failed"} == {"budget"}
    assert done.usage.sent + done.usage.received <= 30_000
    assert done.is_partial


def test_a_budget_that_allows_no_plan_asks_nothing() -> None:
    with serving(model()) as server:
        done = explain(shop(), server, limits=Limits(100))

    assert server.asked == []
    assert [record.reason for record in done.records] == ["budget"]


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": -9, "completion_tokens": -9}])
def test_a_server_that_reports_no_usage_is_asked_within_the_budget_too(usage: object) -> None:
    def silent(asked: Asked) -> Says:
        says = honest(asked) if "lines" in asked.data else planned(asked, 12, 6)
        choice = {"message": {"content": says.text}, "finish_reason": "stop"}
        return Says(raw=json.dumps({"choices": [choice], "usage": usage}).encode())

    with serving(model(silent, silent)) as server:
        done = explain(shop(), server, limits=Limits(30_000))

    assert 0 < done.usage.sent + done.usage.received <= 30_000
    assert done.is_partial


def test_while_no_plan_can_be_made_the_last_one_is_used_and_nothing_is_forgotten(
    tmp_path: Path,
) -> None:
    def asking(*titles: str) -> Wiki:
        material = shop().material
        assert material is not None
        wanted = tuple(Wanted(title) for title in titles)
        return shop()._replace(material=msgspec.structs.replace(material, asked=wanted))

    def run(wiki: Wiki, plan: Callable[[Asked], Says]) -> tuple[Explained, int]:
        with serving(model(plan=plan)) as server, Kept(tmp_path / "memory") as memory:
            done = writing.write(wiki, server.endpoint(), LIMITS, memory, sleep=at_once)
            return done, len(server.asked)

    first, _ = run(asking(), about_payments)
    meanwhile, _ = run(asking("Refunds"), fails(Says(status=401)))
    after, calls = run(asking("Refunds"), about_payments)

    assert [page.body for page in meanwhile.wiki.pages[1:]] == [
        page.body for page in first.wiki.pages[1:]
    ]
    assert meanwhile.wiki.missing == "Pages could not be planned (status 401)."
    assert calls == 1
    assert after.wiki.pages == first.wiki.pages


def test_what_was_written_stays_when_the_process_is_killed(tmp_path: Path) -> None:
    """`kill -9` leaves the file as it is before the memory is closed."""
    copied = tmp_path / "copied"
    with serving(model()) as server, Kept(tmp_path / "memory") as memory:
        writing.write(shop(), server.endpoint(), LIMITS, memory, sleep=at_once)
        copied.write_bytes((tmp_path / "memory").read_bytes())
    with serving(model()) as server, Kept(copied) as memory:
        done = writing.write(shop(), server.endpoint(), LIMITS, memory, sleep=at_once)

    assert server.asked == []
    assert done.wiki.stats["modelPages"] == 1


def test_pages_whose_titles_have_one_key_are_one_and_all_titles_have_a_key() -> None:
    def plan(asked: Asked) -> Says:
        pages = json.loads(planned(asked, 5).text)["pages"]
        titles = ["How: a till", "How a till", "Как работает касса", "...", "Tills"]
        return Says(json.dumps({"pages": [it | {"title": title} for it, title in zip(
            pages, titles, strict=True)]}))  # fmt: skip

    with serving(model(plan=plan)) as server:
        done = explain(shop(), server)

    written = {page.key for page in done.wiki.pages if page.key.startswith("explained/")}
    assert written <= {"explained/how-a-till", "explained/tills"}
    assert [record.page for record in done.records] == ["How: a till", "Tills"]
    assert done.wiki.stats["modelPages"] == len(written)
