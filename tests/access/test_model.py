from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from stationmaster import ids
from stationmaster.access.model import email_of, name_of, role_of, service_role_of
from stationmaster.errors import BadRequest


@pytest.mark.parametrize(
    ("typed", "role"),
    [
        ("owner", "owner"),
        (" Manager ", "manager"),
        ("admin", "manager"),
        ("member", "member"),
        ("user", "member"),
        ("guest", "guest"),
        ("viewer", "guest"),
    ],
)
def test_a_role_is_understood_by_any_of_its_names(typed: str, role: str) -> None:
    assert role_of(typed) == role


@pytest.mark.parametrize("typed", ["", "root", "owners", "own er"])
def test_any_other_word_is_no_role(typed: str) -> None:
    with pytest.raises(BadRequest, match="owner, manager, member, guest"):
        role_of(typed)


def test_a_service_account_may_have_any_role_but_owner() -> None:
    assert [service_role_of(word) for word in ("admin", "member", "viewer")] == [
        "manager",
        "member",
        "guest",
    ]
    with pytest.raises(BadRequest, match="one of manager, member, guest"):
        service_role_of("owner")


@pytest.mark.parametrize(
    ("typed", "email"),
    [
        ("ada@example.com", "ada@example.com"),
        ("  Ada.Lovelace+x@Example.COM\n", "ada.lovelace+x@example.com"),
        ("root@localhost", "root@localhost"),
        ("jürgen@bücher.example", "jürgen@bücher.example"),
        ("a" * 242 + "@example.com", "a" * 242 + "@example.com"),
    ],
)
def test_an_address_is_made_uniform(typed: str, email: str) -> None:
    assert email_of(typed) == email


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "ada",
        "@",
        "ada@",
        "@example.com",
        "ada@example@com",
        "ada lovelace@example.com",
        "ada@exa\tmple.com",
        "ada@example.com\x00",
        "ada\u200b@example.com",
        "ada\ud800@example.com",
        "ada\u00a0x@example.com",
        "a" * 243 + "@example.com",
    ],
)
def test_what_no_mail_could_reach_is_refused(typed: str) -> None:
    with pytest.raises(BadRequest) as refused:
        email_of(typed)
    assert refused.value.code == "invalid_email"


@given(st.emails())
def test_an_address_stays_the_same_user_however_it_is_typed(email: str) -> None:
    org = ids.OrgId("org_a")
    assert email_of(email_of(email)) == email_of(email)
    assert ids.user_of_email(org, email) == ids.user_of_email(org, email_of(email))


@pytest.mark.parametrize(
    ("typed", "name"),
    [(" Acme  Ltd ", "Acme  Ltd"), ("e\u0301", "é"), ("東京", "東京"), ("x" * 100, "x" * 100)],
)
def test_a_name_is_made_uniform(typed: str, name: str) -> None:
    assert name_of(typed) == name


@pytest.mark.parametrize("typed", ["", "  ", "x" * 101, "a\nb", "a\x00", "a\u202eb", "\ud800"])
def test_a_name_that_cannot_be_shown_is_refused(typed: str) -> None:
    with pytest.raises(BadRequest) as refused:
        name_of(typed)
    assert refused.value.code == "invalid_name"
