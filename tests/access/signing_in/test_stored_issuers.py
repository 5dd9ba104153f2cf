"""Identity providers that organizations have added: what is stored, and where it is sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from stationmaster.access import audit
from stationmaster.access.model import Caller, Secret
from stationmaster.access.signing_in.oidc import Issuers
from stationmaster.access.signing_in.provider import AddressRefused, Way, by_name
from stationmaster.access.signing_in.stored_issuers import PROVIDERS_MAX, IssuerForm, StoredIssuers
from stationmaster.access.vault import Vault
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Conflict, NotFound, Unauthorized
from stationmaster.settings import Settings
from tests.support.builders import a_caller, a_member, an_organization
from tests.support.issuer import CLIENT, RunningIssuer

WANTED = IssuerForm("https://id.example", "client", Secret("hunter22"), ["Example.com"], False)


def owner_of(db: Database, name: str) -> Caller:
    org = an_organization(db, name)
    return a_caller(db, org, a_member(db, org, f"owner@{name}.example", "owner"))


def stored_in(db: Database, folder: Path, *reserved: str) -> StoredIssuers:
    settings = Settings(data_dir=folder)
    return StoredIssuers(db, settings, Vault.open(settings), by_name, reserved)


def test_the_secret_is_sealed_and_opens_for_its_own_provider_alone(
    db: Database, tmp_path: Path
) -> None:
    acme, other, stored = owner_of(db, "acme"), owner_of(db, "other"), stored_in(db, tmp_path)

    stored.add(acme, "corp", WANTED)
    rows = str(db.rows("SELECT * FROM identity_providers WHERE org_id = ?", acme.org_id))
    issuer = stored.named("corp").issuer

    assert "hunter22" not in rows
    assert issuer.client_secret is not None
    assert issuer.client_secret.reveal() == "hunter22"
    assert (issuer.org, issuer.allowed_domains) == (acme.org_id, ("example.com",))
    assert stored.list_all(other.org_id) == []
    with pytest.raises(NotFound):
        stored.get(other.org_id, "corp")
    with pytest.raises(NotFound):
        stored.remove(other, "corp")


def test_a_name_is_given_once_in_an_installation(db: Database, tmp_path: Path) -> None:
    acme, other = owner_of(db, "acme"), owner_of(db, "other")
    stored = stored_in(db, tmp_path, "set")
    stored.add(acme, "corp", WANTED)

    for caller, name in ((acme, "corp"), (other, "corp"), (other, "set")):
        with pytest.raises(Conflict, match="has this name"):
            stored.add(caller, name, WANTED)


def test_an_organization_has_a_bounded_number(db: Database, tmp_path: Path) -> None:
    acme, stored = owner_of(db, "acme"), stored_in(db, tmp_path)
    for number in range(PROVIDERS_MAX):
        stored.add(acme, f"p{number}", WANTED)

    with pytest.raises(Conflict, match="at most"):
        stored.add(acme, "more", WANTED)


def test_a_secret_goes_to_no_other_issuer_than_it_was_entered_for(
    db: Database, tmp_path: Path
) -> None:
    acme, stored = owner_of(db, "acme"), stored_in(db, tmp_path)
    stored.add(acme, "corp", WANTED)

    for change in (IssuerForm(issuer="https://else.example"), IssuerForm(client_id="another")):
        with pytest.raises(BadRequest, match="secret, too"):
            stored.change(acme, "corp", change)
    stored.change(
        acme, "corp", IssuerForm(issuer="https://else.example", client_secret=Secret("new"))
    )

    kept = stored.named("corp").issuer
    assert (kept.issuer, kept.client_id) == ("https://else.example", "client")
    assert kept.client_secret is not None
    assert kept.client_secret.reveal() == "new"


def test_another_process_sees_a_change_at_its_next_request(db: Database, tmp_path: Path) -> None:
    acme, one, two = owner_of(db, "acme"), stored_in(db, tmp_path), stored_in(db, tmp_path)
    one.add(acme, "corp", WANTED)
    first = two.named("corp")

    assert two.named("corp") is first, "what its issuer publishes is kept"
    one.change(acme, "corp", IssuerForm(allowed_domains=["else.example"]))
    assert two.named("corp").issuer.allowed_domains == ("else.example",)
    one.remove(acme, "corp")
    with pytest.raises(NotFound):
        two.named("corp")


def test_an_address_that_must_not_be_asked_is_refused_before_it_is_stored(
    db: Database, tmp_path: Path
) -> None:
    def reach(address: str) -> Way:
        raise AddressRefused(f"{address} is private.")

    acme, settings = owner_of(db, "acme"), Settings(data_dir=tmp_path)
    stored = StoredIssuers(db, settings, Vault.open(settings), reach, ())

    with pytest.raises(BadRequest, match="is private"):
        stored.add(acme, "corp", WANTED)
    assert stored.list_all(acme.org_id) == []


def test_changes_are_in_the_audit_log_without_the_secret(db: Database, tmp_path: Path) -> None:
    acme, stored = owner_of(db, "acme"), stored_in(db, tmp_path)

    stored.add(acme, "corp", WANTED)
    stored.change(acme, "corp", IssuerForm(client_secret=Secret("another-one")))
    stored.remove(acme, "corp")

    records = audit.page(db, acme.org_id, limit=10)
    events = [each for each in records if each.event_type.startswith("identity_provider")]
    assert [each.event_type.rpartition("_")[2] for each in events] == [
        "removed", "changed", "added",
    ]  # fmt: skip
    assert {each.target for each in events} == {audit.Target("identity_provider", "corp")}
    assert "hunter22" not in str(records)
    assert "another-one" not in str(records)


def test_its_bearer_tokens_count_for_nobody(
    db: Database, tmp_path: Path, issuer: RunningIssuer
) -> None:
    acme, stored = owner_of(db, "acme"), stored_in(db, tmp_path)
    stored.add(acme, "corp", IssuerForm(issuer.url, CLIENT))

    with pytest.raises(Unauthorized):
        Issuers([], stored).caller_of(db, issuer.token(acme.email or ""))
