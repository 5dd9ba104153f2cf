"""Credentials and what is known of providers."""

from __future__ import annotations

import pytest

from stationmaster.access.model import Secret
from stationmaster.errors import BadRequest
from stationmaster.repos.model import Credential, CredentialKind, credential, provider_of


@pytest.mark.parametrize(
    ("url", "provider"),
    [
        ("https://github.com/o/r", "github"),
        ("https://github.example.com/o/r", "github"),
        ("https://gitlab.com/o/r", "gitlab"),
        ("https://gitlab.example.com:8443/o/r", "gitlab"),
        ("https://example.com/github.com/r", "other"),
        ("https://notgithub.com/o/r", "other"),
        ("https://github/o/r", "other"),
    ],
)
def test_a_provider_is_guessed_from_the_host(url: str, provider: str) -> None:
    assert provider_of(url) == provider


def test_a_token_is_sent_as_the_provider_takes_it() -> None:
    token = Credential("token", None, Secret("t0k"))

    assert token.header("github") == "Basic eC1hY2Nlc3MtdG9rZW46dDBr"
    assert token.header("gitlab") == "Basic b2F1dGgyOnQwaw=="
    assert token.header("other") == "Bearer t0k"
    assert token._replace(username="me").header("github") == "Basic bWU6dDBr"


@pytest.mark.parametrize(
    ("kind", "username", "secret"),
    [
        ("token", None, ""),
        ("token", None, "two words"),
        ("token", None, "ümlaut"),
        ("token", None, "line\nbreak"),
        ("token", None, "x" * 4097),
        ("token", None, "\udcff"),
        ("basic", None, "hunter2"),
        ("basic", "", "pass"),
        ("basic", "a:b", "pass"),
        ("basic", "a\r\nX: y", "pass"),
        ("basic", "a" * 256, "pass"),
        ("basic", "ada", "pass\0"),
    ],
)
def test_a_credential_that_cannot_be_sent_is_refused_unrepeated(
    kind: CredentialKind, username: str | None, secret: str
) -> None:
    with pytest.raises(BadRequest) as refused:
        credential(kind, username, secret)

    assert refused.value.code == "invalid_credential"
    assert not secret or secret not in refused.value.detail


def test_a_credential_does_not_show_itself() -> None:
    assert "t0k" not in repr(credential("token", None, "t0k"))
