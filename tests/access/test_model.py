from __future__ import annotations

import pytest

from stationmaster.access.model import role_of, service_role_of
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
