"""Secrets for computers: set, replaced, deleted, and told to nobody."""

from __future__ import annotations

import pytest

from stationmaster.access import audit
from stationmaster.access.model import Caller, Secret
from stationmaster.access.vault import KEY_BYTES, Vault
from stationmaster.computers import secrets
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, OperatorError
from tests.support.builders import a_caller, a_member, an_organization

VAULT = Vault(bytes(KEY_BYTES))


@pytest.fixture
def mia(db: Database) -> Caller:
    org = an_organization(db)
    return a_caller(db, org, a_member(db, org, role="manager"))


def put(db: Database, caller: Caller, **values: str) -> list[str]:
    given = {name: Secret(value) for name, value in values.items()}
    return secrets.change(db, VAULT, caller, given, [])


def sealed(db: Database, caller: Caller, name: str) -> bytes:
    [(found,)] = db.rows(
        "SELECT sealed FROM computer_secrets WHERE org_id = ? AND name = ?", caller.org_id, name
    )
    return bytes(found)


def test_names_are_listed_in_order(db: Database, mia: Caller) -> None:
    assert put(db, mia, TOKEN="hunter2", A_B="x", AB="y") == ["AB", "A_B", "TOKEN"]
    assert secrets.list_names(db, mia.org_id) == ["AB", "A_B", "TOKEN"]


def test_a_value_rests_sealed_for_its_organization_and_name(db: Database, mia: Caller) -> None:
    put(db, mia, TOKEN="hunter2")
    found = sealed(db, mia, "TOKEN")

    assert b"hunter2" not in found
    opened = VAULT.unseal(found, secrets.purpose(mia.org_id, "TOKEN"))
    assert opened.reveal() == "hunter2"
    elsewhere = an_organization(db, "Other")
    for org, name in ((elsewhere, "TOKEN"), (mia.org_id, "OTHER")):
        with pytest.raises(OperatorError):
            VAULT.unseal(found, secrets.purpose(org, name))


def test_setting_again_replaces(db: Database, mia: Caller) -> None:
    put(db, mia, TOKEN="old")

    assert put(db, mia, TOKEN="new") == ["TOKEN"]
    found = sealed(db, mia, "TOKEN")
    assert VAULT.unseal(found, secrets.purpose(mia.org_id, "TOKEN")).reveal() == "new"


def test_deleting_what_is_not_there_changes_nothing(db: Database, mia: Caller) -> None:
    put(db, mia, TOKEN="x", KEPT="y")

    for _ in range(2):
        left = secrets.change(db, VAULT, mia, {}, ["TOKEN", "NEVER", "a\0", "\ud800"])
        assert left == ["KEPT"]


def test_organizations_keep_their_own(db: Database, mia: Caller) -> None:
    put(db, mia, TOKEN="x")
    other = an_organization(db, "Other")
    zoe = a_caller(db, other, a_member(db, other, role="manager"))

    assert secrets.list_names(db, other) == []
    secrets.change(db, VAULT, zoe, {}, ["TOKEN"])

    assert secrets.list_names(db, mia.org_id) == ["TOKEN"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("token", "x"), ("1A", "x"), ("A-B", "x"), ("", "x"), ("A" * 129, "x"), ("A\n", "x"),
     ("A", ""), ("A", "x\0"), ("A", "x\ud800"), ("A", "x" * 32_769)],
)  # fmt: skip
def test_what_no_environment_could_hold_is_refused_with_all_that_came_with_it(
    db: Database, mia: Caller, name: str, value: str
) -> None:
    with pytest.raises(BadRequest):
        put(db, mia, **{"GOOD": "hunter2", name: value})

    assert secrets.list_names(db, mia.org_id) == []


def test_setting_and_deleting_one_at_once_is_refused(db: Database, mia: Caller) -> None:
    with pytest.raises(BadRequest):
        secrets.change(db, VAULT, mia, {"A": Secret("x")}, ["A"])


def test_there_is_a_most(db: Database, mia: Caller) -> None:
    put(db, mia, **{f"S{number}": "x" for number in range(secrets.SECRETS_MAX)})

    with pytest.raises(BadRequest) as refused:
        put(db, mia, ONE_MORE="x")

    assert refused.value.code == "too_many_secrets"
    assert len(secrets.list_names(db, mia.org_id)) == secrets.SECRETS_MAX


def test_the_log_tells_names_and_no_values(db: Database, mia: Caller) -> None:
    put(db, mia, TOKEN="hunter2")
    secrets.change(db, VAULT, mia, {}, ["TOKEN"])
    secrets.change(db, VAULT, mia, {}, ["TOKEN"])

    found = audit.page(db, mia.org_id, limit=10)
    told = [each.payload for each in found if each.event_type == "computer_secrets_changed"]
    assert len(told) == 2
    assert {"set": ["TOKEN"], "deleted": []} in told
    assert {"set": [], "deleted": ["TOKEN"]} in told
