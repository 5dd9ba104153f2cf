"""Addresses of repositories: each spelling is one address, and other texts are refused."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from stationmaster.errors import BadRequest
from stationmaster.ids import OrgId
from stationmaster.repos.addresses import id_of, normalise

pytestmark = pytest.mark.attack

PLAIN = "https://git.example/Acme/shop"


@pytest.mark.parametrize(
    "spelling",
    [
        PLAIN,
        "https://git.example/Acme/shop/",
        "https://git.example/Acme/shop.git",
        "https://git.example/Acme/shop.git/",
        "https://GIT.Example/Acme/shop",
        "https://git.example./Acme/shop",
        "https://git.example:443/Acme/shop",
        "http://git.example/Acme/shop",
        "http://git.example:80/Acme/shop",
        "https://ada:secret@git.example/Acme/shop",
        "https://git.example//Acme//shop",
        "https://git.example/Acme/%73hop",
        "git@git.example:Acme/shop.git",
        "git.example:Acme/shop",
        "ssh://git@git.example/Acme/shop.git",
        "ssh://git@git.example:7999/Acme/shop.git",
        "git+ssh://git@git.example/Acme/shop",
        "git://git.example/Acme/shop",
        "  https://git.example/Acme/shop\n",
    ],
)
def test_every_spelling_of_a_remote_is_one_address(spelling: str) -> None:
    assert normalise(spelling) == PLAIN


@pytest.mark.parametrize(
    ("spelling", "address"),
    [
        ("https://git.example:8443/a/b", "https://git.example:8443/a/b"),
        ("https://git.example/group/sub/group/name", "https://git.example/group/sub/group/name"),
        ("https://[::1]:8443/a/b", "https://[::1]:8443/a/b"),
        ("https://git.example/~ada/b", "https://git.example/~ada/b"),
        ("https://git.example/a/b c".replace(" ", "%20"), "https://git.example/a/b%20c"),
        ("https://git.example/a/.git", "https://git.example/a/.git"),
    ],
)
def test_what_tells_repositories_apart_stays(spelling: str, address: str) -> None:
    assert normalise(spelling) == address


@pytest.mark.parametrize(
    "text",
    [
        "", "shop", "/srv/git/shop", "file:///srv/git/shop", "https://git.example", "https:///a/b",
        "ext::sh -c id", "https://git.example/a/../b", "https://git.example/a/%2e%2e/b",
        "https://git.example/a%2fb", "https://git.example/a\nb", "https://git.example/a%00b",
        "https://git.example/a?b=c", "https://git.example/a#b", "https://git.example:port/a/b",
        r"C:\src\shop", "-oProxyCommand=id:a/b", "https://-host/a/b",
        "https://git.example/" + "a" * 1000,
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(BadRequest) as refused:
        normalise(text)
    assert refused.value.code == "invalid_repository_url"


@given(st.text(max_size=60))
def test_any_text_is_refused_or_becomes_an_address_that_stays_as_it_is(text: str) -> None:
    try:
        address = normalise(text)
    except BadRequest:
        return
    assert normalise(address) == address


def test_identifiers_follow_the_address_and_the_organization() -> None:
    acme, other = OrgId("org_acme"), OrgId("org_other")

    assert id_of(acme, PLAIN) == id_of(acme, "git@git.example:Acme/shop.git")
    assert id_of(acme, PLAIN) != id_of(other, PLAIN)
    assert id_of(acme, PLAIN).startswith("repo_")
