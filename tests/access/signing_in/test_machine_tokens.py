"""Tokens with which computers send telemetry: good for that alone, and as long as the computer, its
credential and its owner are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from stationmaster import clock
from stationmaster.access import service
from stationmaster.access.model import require
from stationmaster.access.signing_in.signing_keys import SigningKeys
from stationmaster.access.signing_in.tokens import MACHINE_LIFETIME_S, MachineTokens, Tokens
from stationmaster.access.vault import Vault
from stationmaster.computers import service as computers
from stationmaster.computers.managed import store
from stationmaster.db.engine import Database
from stationmaster.errors import Forbidden, Unauthorized
from stationmaster.settings import Settings
from tests.computers.rows import a_computer
from tests.support.builders import a_caller, a_member, a_service_account, an_organization

pytestmark = pytest.mark.attack

ADDRESS = "https://app.example.com"
NOW = datetime(2026, 11, 24, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _frozen_clock() -> None:
    clock.freeze(NOW)


@pytest.fixture
def keys(db: Database, tmp_path: Path) -> SigningKeys:
    return SigningKeys(db, Vault.open(Settings(data_dir=tmp_path)))


@pytest.fixture
def tokens(db: Database, keys: SigningKeys) -> MachineTokens:
    return MachineTokens(db, keys, ADDRESS)


def test_a_token_is_its_computers_owner_and_sends_telemetry_alone(
    db: Database, tokens: MachineTokens
) -> None:
    org = an_organization(db)
    owner = a_caller(db, org, a_member(db, org, "ada@example.com", "owner"))
    made = a_computer(db, owner)

    caller = tokens.caller_of(tokens.issue(org, made.computer_id))

    assert (caller.org_id, caller.principal_id) == (org, owner.principal_id)
    assert (caller.scope, caller.key_id) == ("ingest", made.computer_id)
    with pytest.raises(Forbidden):
        require(caller)


def test_it_ends_with_the_computer_its_credential_and_its_time(
    db: Database, tokens: MachineTokens
) -> None:
    org = an_organization(db)
    owner = a_caller(db, org, a_member(db, org, "ada@example.com"))
    removed, renewed, old = (a_computer(db, owner, name) for name in ("one", "two", "three"))
    by_name = {each: tokens.issue(org, each.computer_id) for each in (removed, renewed, old)}
    computers.remove(db, owner, removed.computer_id)
    store.set_credential(db, org, renewed.computer_id, "f" * 64)

    for computer in (removed, renewed):
        with pytest.raises(Unauthorized):
            tokens.caller_of(by_name[computer])
    assert tokens.caller_of(by_name[old])
    clock.freeze(NOW + timedelta(seconds=MACHINE_LIFETIME_S + 61))
    with pytest.raises(Unauthorized):
        tokens.caller_of(by_name[old])


def test_it_ends_with_its_owner(db: Database, tokens: MachineTokens) -> None:
    org = an_organization(db)
    member = a_member(db, org, "ada@example.com")
    program = a_service_account(db, org)
    of_member = a_computer(db, a_caller(db, org, member), "one")
    of_program = a_computer(db, a_caller(db, org, program), "two")
    issued = [tokens.issue(org, each.computer_id) for each in (of_member, of_program)]
    for token in issued:
        assert tokens.caller_of(token)

    service.remove_member(db, org, member.user_id)
    service.change_service_account(db, org, program.service_account_id, is_active=False)

    for token in issued:
        with pytest.raises(Unauthorized):
            tokens.caller_of(token)


def test_no_other_token_passes_for_one_nor_one_for_another(
    db: Database, keys: SigningKeys, tokens: MachineTokens
) -> None:
    org, other = an_organization(db, "acme"), an_organization(db, "other")
    owner = a_caller(db, org, a_member(db, org, "ada@example.com"))
    made = a_computer(db, owner)
    ours = Tokens(db, keys, ADDRESS)

    with pytest.raises(Unauthorized):
        tokens.caller_of(ours.issue(owner))
    with pytest.raises(Unauthorized):
        ours.caller_of(tokens.issue(org, made.computer_id))
    with pytest.raises(Unauthorized):
        MachineTokens(db, keys, "https://elsewhere.example").caller_of(
            tokens.issue(org, made.computer_id)
        )
    with pytest.raises(Unauthorized):
        tokens.issue(other, made.computer_id)
