from __future__ import annotations

import pytest

from stationmaster.ids import RepoId
from stationmaster.pipelines.scanning import model
from stationmaster.pipelines.scanning.model import Origin
from stationmaster.repos.model import Repository, provider_of


def registered(url: str) -> Repository:
    unknown = dict.fromkeys(
        ("default_branch", "head_commit", "fetched_at", "fetch_error", "looked_at")
    )
    return Repository(
        repo_id=RepoId("repo_a"),
        url=url,
        provider=provider_of(url),
        has_credential=False,
        created_at=0,
        created_by="user_a",
        **unknown,
    )


@pytest.mark.parametrize(
    ("url", "name", "owner"),
    [
        ("https://github.com/acme/shop", "acme/shop", "acme"),
        ("https://gitlab.com/acme/team/shop", "acme/team/shop", "acme/team"),
        ("https://git.example.com/shop", "shop", "git.example.com"),
        ("https://git.example.com:8443/a%20b/c", "a b/c", "a b"),
    ],
)
def test_an_address_tells_a_name_and_an_owner(url: str, name: str, owner: str) -> None:
    assert (model.full_name(url), model.owner(url)) == (name, owner)


def test_owners_are_told_once_and_found_in_any_case() -> None:
    known = [registered(f"https://github.com/{name}") for name in ("b/x", "Acme/x", "Acme/y")]

    assert model.owners(known) == ["Acme", "b"]
    assert model.owned_by(known, "acme") == known[1:]
    assert model.owned_by(known, "nobody") == []


@pytest.mark.parametrize(
    ("url", "files"),
    [
        ("https://github.com/acme/shop", "https://github.com/acme/shop/blob/abc"),
        ("https://gitlab.com/acme/shop", "https://gitlab.com/acme/shop/-/blob/abc"),
        ("https://git.example.com/acme/shop", None),
    ],
)
def test_files_have_an_address_where_the_host_is_known(url: str, files: str | None) -> None:
    assert model.origin(url, "abc") == Origin("acme/shop", files)
