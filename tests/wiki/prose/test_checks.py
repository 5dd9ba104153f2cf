"""A sentence stands only where every check lets it pass."""

from __future__ import annotations

import pytest

from stationmaster.wiki.prose import checks
from stationmaster.wiki.prose.model import Answer, Bundle, Fact, Sentence
from tests.wiki.canaries import all_kinds

BUNDLE = Bundle(
    "core",
    "module-purpose",
    (
        Fact("f1", "row", "Path: `src/core`; Size: 12 files, 3,400 lines; Languages: Python"),
        Fact("f2", "row", "Symbol: `Clock.tick`; Kind: method; Where: `src/core/clock.py`"),
        Fact("f3", "edge", "core → web"),
        Fact("f4", "edge", "api → core"),
        Fact("f5", "item", "`REDIS_URL`: the address of Redis"),
        Fact("f6", "command", "pytest -q tests"),
        Fact("f7", "excerpt", "This package keeps all the clocks of the whole application in step "
             "with one another by asking a server every minute."),
    ),
    modules=("api", "core", "web", "store"),
)  # fmt: skip


def fault(text: str, *cites: str) -> str | None:
    checked = checks.check(Answer("", (Sentence(text, cites or ("f1",)),)), BUNDLE, 9)
    return next(iter(checked.dropped), None)


@pytest.mark.parametrize(
    ("text", "cite"),
    [
        ("The `core` module holds 12 files of Python under `src/core`.", "f1"),
        ("It has 3,400 lines in twelve files.", "f1"),
        ("`Clock.tick` is a method in `src/core/clock.py`.", "f2"),
        ("The class `Clock` stands in `clock.py`.", "f2"),
        ("The method `tick()` moves the clock on.", "f2"),
        ("The core module uses web, and api uses core.", "f3"),
        ("The `core` module is used by `api`.", "f4"),
        ("It uses `web`.", "f3"),
        ("The address of Redis comes from `REDIS_URL`.", "f5"),
        ("The tests are started with `pytest -q tests`.", "f6"),
        ("Its clocks ask a server over HTTP to stay in step.", "f7"),
    ],
)
def test_what_the_facts_say_passes(text: str, cite: str) -> None:
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
        ("Kafka carries the clocks of the module.", "unknown name"),
        ("The option --fast is for the clocks.", "unknown name"),
        ("It answers with a JWT to the clocks.", "unknown name"),
        ("It has 13 files in the folder.", "unknown number"),
        ("It has thirteen hundred files in the folder.", "unknown number"),
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
        ("The module is a robust home for the clocks.", "banned word"),
        ("The module ensures the clocks are in step.", "banned word"),
        ("Das Modul Python", "language"),
        ("Модуль хранит часы the", "language"),
        ("The module holds the clocks\u202e of the folder.", "language"),
        ("The core module uses store.", "unknown dependency"),
        ("The `web` module imports `core`.", "unknown dependency"),
        ("The `web` module is used by `api`.", "unknown dependency"),
        ("It uses `web` and `api`.", "unknown dependency"),
        ("It keeps all the clocks of the whole application in step with one another.", "copied"),
    ],
)
def test_what_breaks_a_rule_is_dropped_for_that_reason(text: str, reason: str) -> None:
    assert fault(text) == reason


@pytest.mark.parametrize("cites", [("f99",), ("f1", "f99"), ("",)])
def test_a_sentence_without_facts_is_dropped(cites: tuple[str, ...]) -> None:
    assert fault("The module holds the clocks.", *cites) == "no valid cite"
    none = checks.check(Answer("", (Sentence("The module holds the clocks."),)), BUNDLE, 9)
    assert none.dropped == {"no valid cite": 1}


@pytest.mark.attack
@pytest.mark.parametrize("canary", all_kinds(), ids=lambda canary: canary.kind)
def test_no_secret_passes(canary: object) -> None:
    secret = getattr(canary, "secret")  # noqa: B009 - the parameter has the type of pytest

    assert fault(f"The clock is set by the value {secret} of the folder.") is not None


def test_more_sentences_than_asked_for_are_dropped() -> None:
    sentences = [Sentence("It has 12 files.", ("f1",))] * 5

    checked = checks.check(Answer("", tuple(sentences)), BUNDLE, 2)

    assert len(checked.sentences) == 2
    assert checked.dropped == {"too many sentences": 3}
    assert not checked.is_enough


@pytest.mark.attack
@pytest.mark.parametrize("text", ["`" * 300, "a/" * 150, "1," * 150, "A" * 320, "use " * 80])
def test_hostile_sentences_are_looked_at_in_passing(text: str) -> None:
    assert fault(text) is not None
