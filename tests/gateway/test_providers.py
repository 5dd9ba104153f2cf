"""The providers of an organization, and the commands that change them."""

from __future__ import annotations

from pathlib import Path

import pytest

from stationmaster.access import audit
from stationmaster.access.vault import Vault
from stationmaster.errors import BadRequest, NotFound
from stationmaster.gateway import addresses, providers
from tests.support.commands import command, succeed
from tests.support.gateways import PROVIDER_KEY, Installation


def test_a_key_is_stored_sealed_and_opens_in_its_own_row_alone(installation: Installation) -> None:
    provider = installation.provider("sealed", "openai", "http://127.0.0.1:9")
    vault = Vault.open(installation.settings)

    assert PROVIDER_KEY.encode() not in provider.sealed
    assert provider.key(vault, installation.org).reveal() == PROVIDER_KEY
    other = providers.Provider("other", "openai", "", provider.sealed, True, (), 0)
    with pytest.raises(Exception, match="cannot be decrypted"):
        other.key(vault, installation.org)


def test_changes_are_in_the_audit_log_without_the_key(installation: Installation) -> None:
    installation.provider("audited", "openai", "http://127.0.0.1:9")
    providers.remove(installation.db, installation.owner, "audited")

    records = audit.page(installation.db, installation.org, limit=2)

    assert [each.event_type for each in records] == [
        "gateway_provider_removed",
        "gateway_provider_set",
    ]
    assert PROVIDER_KEY not in repr(records)


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://api.example.com", "https://api.example.com"),
        ("https://api.example.com/", "https://api.example.com"),
        ("https://api.example.com/v1", "https://api.example.com"),
        ("https://api.example.com/v1beta/", "https://api.example.com"),
        ("https://eu.example.com:8443/openai/v1", "https://eu.example.com:8443/openai"),
    ],
)
def test_an_address_is_stored_without_the_version_of_the_callers_paths(
    url: str, address: str
) -> None:
    assert addresses.address_of(url, is_private=False) == address


@pytest.mark.parametrize(
    "url",
    [
        *("http://api.example.com", "https://10.0.0.7", "https://127.0.0.1", "https://localhost"),
        *("https://[::1]", "https://169.254.169.254", "ftp://api.example.com", "api.example.com"),
        *("https://user:pw@api.example.com", "https://api.example.com/?a=b", "https://a b.com"),
        *("https://api.example.com/a/../b", "https://api.example.com:99999", ""),
    ],
)
def test_an_address_that_is_no_public_https_address_is_refused(url: str) -> None:
    with pytest.raises(BadRequest):
        addresses.address_of(url, is_private=False)


def test_a_provider_of_another_organization_is_not_there(installation: Installation) -> None:
    installation.provider("mine", "openai", "http://127.0.0.1:9")

    with pytest.raises(NotFound):
        providers.get(installation.db, type(installation.org)("org_other"), "mine")


def test_commands_add_list_and_remove(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (tmp_path / "key").write_text(f"{PROVIDER_KEY}\n")
    succeed("init", "--data-dir", data)
    place = ("--data-dir", data)
    add = ("gateway", "providers", "add", "eu", "--kind", "anthropic", "--key-file")

    added = succeed(*add, tmp_path / "key", "--url", "https://eu.example.com/v1", *place)
    listed = succeed("gateway", "providers", "list", *place)["providers"]
    removed = command("gateway", "providers", "remove", "eu", *place)
    again = command("gateway", "providers", "remove", "eu", *place)

    assert (added["name"], added["url"]) == ("eu", "https://eu.example.com")
    assert listed == [added]
    assert removed.code == 0
    assert "no provider eu" in again.error
    assert PROVIDER_KEY not in str(listed)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"--kind": "cohere"}, "kind"),
        ({"--url": "http://eu.example.com"}, "--allow-private"),
        ({"--key-file": "missing"}, "cannot be read"),
        ({"--failover": "nobody"}, "another provider"),
    ],
)
def test_a_provider_that_cannot_be_is_refused_in_one_line(
    wrong: dict[str, str], why: str, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    (tmp_path / "key").write_text(PROVIDER_KEY)
    succeed("init", "--data-dir", data)
    right = {
        "--kind": "anthropic",
        "--url": "https://eu.example.com",
        "--key-file": str(tmp_path / "key"),
    }
    options = [word for pair in (right | wrong).items() for word in pair]

    done = command("gateway", "providers", "add", "eu", *options, "--data-dir", data)

    assert why in done.error
    assert PROVIDER_KEY not in done.stderr
