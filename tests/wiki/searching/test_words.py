from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from stationmaster.wiki.searching import words
from stationmaster.wiki.searching.words import Term


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The engine, runs.", ["the", "engine", "runs"]),
        ("snake_case_name", ["snake", "case", "snakecase", "name", "casename"]),
        ("Pub/Sub and shut-down", ["pub", "sub", "pubsub", "and", "shut", "down", "shutdown"]),
        ("camelCaseName", ["camelcasename", "camel", "case", "name"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("OAuth2Token", ["oauth2token", "oauth2", "token"]),
        ("sha256 v2 UTC", ["sha256", "v2", "utc"]),
        ("Über CAFÉ straße", ["uber", "cafe", "strasse"]),
        ("a-b foo:bar *(x)", ["a", "b", "ab", "foo", "bar", "x"]),
        ("½ _ \0 \ud800", ["12"]),
        ("x" * 100, ["x" * 64]),
    ],
)
def test_text_is_words_without_case_and_accents_and_the_parts_of_identifiers(
    text: str, found: list[str]
) -> None:
    assert list(words.of_text(text)) == found


def test_a_question_is_its_words_once_each_without_operators_and_words_that_name_nothing() -> None:
    assert words.of_question('How is "Engine" AND engine used OR NOT parseUrl*?') == [
        Term("engine", (), "engin"),
        Term("parseurl", ("parse", "url")),
    ]


def test_two_words_of_a_question_may_be_one_in_a_text() -> None:
    shut, down = words.of_question("How does it shut down?")
    assert (shut.others, down.others) == (("shutdown",), ())
    assert words.of_question("the HTTP server")[0].others[-1:] != ("httpserver",)


def test_a_question_of_words_that_name_nothing_keeps_them() -> None:
    assert [term.whole for term in words.of_question("the who")] == ["the", "who"]


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("indexing", "index"),
        ("permissions", "permiss"),
        ("queries", "quer"),
        ("configuration", "configur"),
        ("deployments", "deploy"),
        ("class", ""),
        ("string", ""),
        ("cache", "cach"),
        ("utf8", ""),
    ],
)
def test_a_stem_is_the_beginning_of_a_words_other_forms(word: str, stem: str) -> None:
    assert words.stem(word) == stem


def test_a_long_question_is_its_first_words() -> None:
    assert len(words.of_question(" ".join(f"w{i}" for i in range(100)))) == words.TERMS_MAX


@pytest.mark.parametrize(
    ("question", "run", "is_found"),
    [
        ("engine", "Engines", True),
        ("engines", "engine", True),
        ("engineering", "engine", False),
        ("en", "engine", False),
        ("url", "parseHttpUrl", True),
        ("http", "parseHttpUrl", True),
        ("parseurl", "parseHttpUrl", False),
        ("GitHub", "github", True),
        ("HttpUrl", "parseHttpUrl", True),
    ],
)
def test_a_term_matches_words_that_begin_with_it_and_parts(
    question: str, run: str, is_found: bool
) -> None:
    [term] = words.of_question(question)

    assert term.matches(words.of_run(run)) == is_found


@given(st.text())
def test_words_are_letters_and_digits_whatever_the_text_is(text: str) -> None:
    for word in words.of_text(text):
        assert word.isalnum()
        assert 0 < len(word) <= words.LENGTH_MAX
        word.encode()
