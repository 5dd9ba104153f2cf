"""Which files hold nothing but credentials, and which values may be one."""

from __future__ import annotations

import random
import string

import pytest

from stationmaster.reading.projects import credentials


def letters(count: int, of: str = string.ascii_letters + string.digits) -> str:
    """Random text, the same in every run."""
    return "".join(random.Random(3).choices(of, k=count))


@pytest.mark.parametrize(
    ("path", "is_closed"),
    [
        (".env", True),
        ("deploy/.env.production", True),
        (".env.example", False),
        ("keys/id_rsa", True),
        ("keys/server.pem", True),
        ("src/env.ts", False),
        ("README.md", False),
    ],
)
def test_a_file_of_credentials_is_never_opened_and_an_example_is(
    path: str, is_closed: bool
) -> None:
    assert credentials.never_opened(path) is is_closed


@pytest.mark.parametrize("value", ["changeme", "your-token", "xxxxxxxxxxxx", "insert-key-here"])
def test_a_placeholder_stands_where_a_credential_belongs(value: str) -> None:
    assert credentials.is_placeholder(value)
    assert not credentials.is_varied(value)


def test_a_value_of_few_letters_is_no_credential() -> None:
    assert credentials.is_varied(letters(32))
    assert not credentials.is_varied("ab" * 16)


@pytest.mark.parametrize(
    "word",
    [letters(24), letters(40), letters(32, "0123456789abcdef"), "a/" + letters(24) + "+/x"],
    ids=["short", "long", "digits of sixteen", "with signs of Base64"],
)
def test_letters_and_digits_without_order_are_random(word: str) -> None:
    assert credentials.is_random(word)


@pytest.mark.parametrize(
    "word",
    [
        "a1",
        "createAuthenticationProvider",
        "my-service-account-2024-01-15",
        "123456789012345678",
        "00000000000000000000000a1b",
        "123e4567-e89b-12d3-a456-426614174000",
        "sha256:0123456789abcdef0123456789abcdef",
        "packages/accounts/database2/migrations",
        "HTTPServerConnectionPool",
        "your-api-key-goes-here-1",
    ],
)
def test_names_that_people_make_and_digests_are_not_random(word: str) -> None:
    assert not credentials.is_random(word)
