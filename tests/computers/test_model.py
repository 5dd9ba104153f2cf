"""What computers and things on them may be called."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from stationmaster.computers import model
from stationmaster.errors import BadRequest

LONGEST = "a" * 63


@pytest.mark.parametrize("name", ["a", "7", "build", "build-2", "a--b", "abc--d", LONGEST])
def test_a_name_is_lower_case_letters_digits_and_hyphens(name: str) -> None:
    assert model.name_of(name) == name


@pytest.mark.parametrize(
    "name",
    ["", "Build", "-a", "a-", "-", "ab--c", "xn--bcher-kva", "a_b", "a.b", "a b", "ä", "a\n", "a\0",
     "\ud800", LONGEST + "a"],
)  # fmt: skip
def test_any_other_name_is_refused(name: str) -> None:
    with pytest.raises(BadRequest) as refused:
        model.name_of(name)

    assert refused.value.code == "invalid_name"


@pytest.mark.parametrize("user", ["a", "ada", "_www", "ada.l", "0", "ada@corp", "x$", "A" * 63])
def test_an_account_is_called_as_systems_call_accounts(user: str) -> None:
    assert model.user_of(user) == user


@pytest.mark.parametrize("user", ["", "-oProxyCommand=x", "a b", "$", "a;b", "a\n", "a" * 64, "ä"])
def test_what_no_account_is_called_is_refused(user: str) -> None:
    with pytest.raises(BadRequest) as refused:
        model.user_of(user)

    assert refused.value.code == "invalid_user"


def test_a_host_name_is_printable() -> None:
    assert model.hostname_of("Ada’s MacBook.local") == "Ada’s MacBook.local"
    for bad in ("", "a\0", "a\nb", "a" * 254, "\ud800"):
        with pytest.raises(BadRequest):
            model.hostname_of(bad)


def test_a_directory_is_an_absolute_path() -> None:
    assert model.directory_of("/home/ada/src/my app") == "/home/ada/src/my app"
    for bad in ("", "src", "~/src", "/a\0", "/a\nb", "/" + "a" * 1024, "/\ud800"):
        with pytest.raises(BadRequest):
            model.directory_of(bad)


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("build", "build"),
        ("Adas-MacBook-Pro.local", "adas-macbook-pro"),
        ("BUILD_7.Example.com", "build-7-example-com"),
        ("nas.home.arpa.", "nas"),
        ("a...b--c", "a-b-c"),
        ("xn--bcher-kva", "xn-bcher-kva"),
        ("-büro-", "b-ro"),
        ("東京", "computer"),
        ("", "computer"),
        ("a" * 62 + "-b", "a" * 62),
    ],
)
def test_the_name_of_a_host_is_made_to_fit(host: str, name: str) -> None:
    assert model.derived(host) == name


@given(st.text(max_size=80), st.integers(2, 99))
def test_whatever_a_host_is_called_a_name_can_be_had_of_it(host: str, number: int) -> None:
    name = model.derived(host)

    assert model.is_name(name)
    assert model.is_name(model.numbered(name, number))
    assert model.numbered(name, number).endswith(f"-{number}")
