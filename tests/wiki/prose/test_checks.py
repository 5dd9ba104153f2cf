"""A sentence stands only where every check lets it pass."""

from __future__ import annotations

import pytest

from stationmaster.wiki.prose import checks
from stationmaster.wiki.prose.model import Answer, Sentence, ids_of
from tests.wiki.canaries import all_kinds

LINES = {
    "a.1": "class Clock: of 12 files, 3,400 lines of Python in `src/core`",
    "a.2": "    def tick(self, step: int) -> list[int]:  # Clock.tick in src/core/clock.py",
    "a.3": '        return web.fetch(os.environ["REDIS_URL"])  # the address of Redis',
    "b.1": "pytest -q tests",
    "b.4": "This package keeps all the clocks of the whole application in step with one "
    "another by asking a server every minute.",
}


def fault(text: str, *cites: str) -> str | None:
    checked = checks.check(Answer((Sentence(text, cites or ("a.1",)),)), LINES, "core", 9)
    return next(iter(checked.dropped), None)


@pytest.mark.parametrize(
    ("text", "cite"),
    [
        ("The `core` module holds 12 files of Python under `src/core`.", "a.1"),
        ("It has 3,400 lines in twelve files.", "a.1"),
        ("`Clock.tick` is a method in `src/core/clock.py`.", "a.2"),
        ("The class `Clock` stands in `clock.py`.", "a.1-2"),
        ("The method `tick()` returns `list[int]` for each step.", "a.2"),
        ("Clocks are kept in step and/or asked for by a server.", "b.4"),
        ("The address of Redis comes from `REDIS_URL`.", "a.3"),
        ("The tests are started with `pytest -q tests`.", "b.1"),
        ("Its clocks ask a server over HTTP to stay in step.", "b.1-4"),
        ("It keeps all the clocks of the whole application in step with one another.", "b.4"),
        ("A clean start is easy, since the clocks are simple.", "a.1"),
    ],
)
def test_what_has_the_names_and_numbers_of_its_lines_passes(text: str, cite: str) -> None:
    assert fault(text, cite) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("It is.", "length"),
        ("The `core` module " + "keeps the files of the clock and " * 12 + "more.", "length"),
        ("The module keeps its state in `src/core/state.py`.", "unknown name"),
        ("The module keeps its state in src/core/state.py.", "unknown name"),
        ("The class `ClockFactory` makes the clocks.", "unknown name"),
        ("The class ClockFactory makes the clocks.", "unknown name"),
        ("The function tick_all moves the clocks.", "unknown name"),
        ("The variable KAFKA_URL names the server.", "unknown name"),
        ("The module stores its clocks in Kafka.", "unknown name"),
        ("The option --fast is for the clocks.", "unknown name"),
        ("It answers with a JWT to the clocks.", "unknown name"),
        ("It has 13 files in the folder.", "unknown number"),
        ("The module has 3,401 lines.", "unknown number"),
        ("The details are at https://core.example for the module.", "markup or address"),
        ("The details are in [the module](core).", "markup or address"),
        ("The module sends mail to root@core for the clocks.", "markup or address"),
        ("The module has <b>clocks</b> in the folder.", "markup or address"),
        ("# The module holds the clocks", "markup or address"),
        ("- The module holds the clocks", "markup or address"),
        ("The module | the clocks", "markup or address"),
        ("The module holds\nthe clocks of the folder.", "markup or address"),
        ("The module holds ```the clocks``` in the folder.", "markup or address"),
        ("Run `pytest -q tests` for the clocks.", "instruction to the reader"),
        ("The tests must be run with `pytest` in the folder.", "instruction to the reader"),
        ("For the clocks: install the module from the folder.", "instruction to the reader"),
        ("Is the module for the clocks?", "instruction to the reader"),
        ("The module lets you set the clocks.", "person"),
        ("In the module we keep the clocks.", "person"),
        ("Das Modul Python", "language"),
        ("Модуль хранит часы the", "language"),
        ("The module holds the clocks\u202e of the folder.", "language"),
    ],
)
def test_what_breaks_a_rule_is_dropped_for_that_reason(text: str, reason: str) -> None:
    assert fault(text) == reason


@pytest.mark.parametrize(
    "cites",
    [("f99",), ("a.1", "f99"), ("",), ("a.9",), ("a.3-1",), ("a.1-999999",), ("a.-1",), ("a.¹",),
     ("a.1",) * 61],
)  # fmt: skip
def test_a_sentence_without_lines_or_with_too_many_is_dropped(cites: tuple[str, ...]) -> None:
    assert fault("The module holds the clocks.", *cites) == "no valid cite"
    none = checks.check(Answer((Sentence("The module holds the clocks."),)), LINES, "core", 9)
    assert none.dropped == {"no valid cite": 1}


def test_lines_in_a_row_are_cited_as_one() -> None:
    assert list(ids_of("a.2-4")) == ["a.2", "a.3", "a.4"]
    assert list(ids_of("a.2")) == ["a.2"]


@pytest.mark.parametrize("words", ["How a request is answered", "Pumps: from start to stop"])
def test_a_plain_heading_is_a_title(words: str) -> None:
    assert checks.is_title(words)


@pytest.mark.parametrize(
    "words", ["", "See https://core.example", "[Link](x)", "Run the tests", "a" * 81, "a\nb",
              "<b>Core</b>", "What we do"],
)  # fmt: skip
def test_what_is_no_plain_heading_is_no_title(words: str) -> None:
    assert not checks.is_title(words)


@pytest.mark.attack
@pytest.mark.parametrize("canary", all_kinds(), ids=lambda canary: canary.kind)
def test_no_secret_passes(canary: object) -> None:
    secret = getattr(canary, "secret")  # noqa: B009 - the parameter has the type of pytest

    assert fault(f"The clock is set by the value {secret} of the folder.") is not None


def test_more_sentences_than_asked_for_are_dropped() -> None:
    sentences = [Sentence("It has 12 files.", ("a.1",))] * 5

    checked = checks.check(Answer(tuple(sentences)), LINES, "core", 2)

    assert len(checked.sentences) == 2
    assert checked.dropped == {"too many sentences": 3}


@pytest.mark.attack
@pytest.mark.parametrize("text", ["`" * 300, "a/" * 150, "1," * 150, "A" * 320, "use " * 80])
def test_hostile_sentences_are_looked_at_in_passing(text: str) -> None:
    assert fault(text) is not None
