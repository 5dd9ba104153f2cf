from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from stationmaster import clock, ids
from stationmaster.access import reads, service
from stationmaster.access.authenticate import authenticate
from stationmaster.access.model import ApiKey, Caller, Role, Scope, new_key, require
from stationmaster.db.engine import Database
from stationmaster.errors import Forbidden, Unauthorized
from stationmaster.ids import KeyId, OrgId, UserId
from tests.support.builders import a_key, a_member, a_service_account, an_organization

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_a_members_key_is_the_member(db: Database) -> None:
    org = an_organization(db)
    ada = a_member(db, org, role="manager")
    made, secret = service.create_key(db, org, ada, name="laptop")
    assert authenticate(db, secret.reveal()) == Caller(
        org_id=org,
        principal_kind="human",
        principal_id=ada.user_id,
        email="ada@example.com",
        role="manager",
        key_id=made.key_id,
        scope="full",
        privacy="named",
    )


def test_a_service_accounts_key_is_the_account(db: Database) -> None:
    org = an_organization(db)
    nightly = a_service_account(db, org, role="guest")
    made, secret = service.create_key(db, org, nightly, name="ci", scope="ingest")
    assert authenticate(db, secret.reveal()) == Caller(
        org_id=org,
        principal_kind="service",
        principal_id=nightly.service_account_id,
        email=None,
        role="guest",
        key_id=made.key_id,
        scope="ingest",
        privacy="named",
    )


def test_each_key_stays_in_its_organization(db: Database) -> None:
    ours, theirs = an_organization(db, "Ours"), an_organization(db, "Theirs")
    ada = a_member(db, ours, role="guest")
    their_ada = a_member(db, theirs, role="owner")
    our_caller = authenticate(db, a_key(db, ours, ada))
    their_caller = authenticate(db, a_key(db, theirs, their_ada))
    assert (our_caller.org_id, our_caller.role) == (ours, "guest")
    assert (their_caller.org_id, their_caller.role) == (theirs, "owner")


def test_a_role_of_the_same_user_id_elsewhere_does_not_count(db: Database) -> None:
    org = an_organization(db)
    user = ids.user_of_email(org, "ada@example.com")
    with db.transaction() as connection:
        for elsewhere in ("org_0", "org_zz"):
            connection.exec_driver_sql(
                "INSERT INTO members (org_id, user_id, email, role, created_at) "
                f"VALUES ('{elsewhere}', '{user}', 'eve@example.com', 'owner', 1)"
            )
    text = a_key(db, org, a_member(db, org))
    caller = authenticate(db, text)
    assert (caller.org_id, caller.email, caller.role) == (org, "ada@example.com", "member")


def revoked(db: Database, org: OrgId) -> str:
    made, secret = service.create_key(db, org, a_member(db, org), name="laptop")
    service.revoke_key(db, org, made.key_id)
    return secret.reveal()


def of_a_removed_member(db: Database, org: OrgId) -> str:
    ada = a_member(db, org)
    text = a_key(db, org, ada)
    service.remove_member(db, org, ada.user_id)
    return text


def of_a_member_who_came_back(db: Database, org: OrgId) -> str:
    text = of_a_removed_member(db, org)
    a_member(db, org)
    return text


def of_an_inactive_service_account(db: Database, org: OrgId) -> str:
    nightly = a_service_account(db, org)
    text = a_key(db, org, nightly)
    service.change_service_account(db, org, nightly.service_account_id, is_active=False)
    return text


def mistyped(db: Database, org: OrgId) -> str:
    text = a_key(db, org, a_member(db, org))
    return text[:10] + ("a" if text[10] != "a" else "b") + text[11:]


@pytest.mark.parametrize(
    "token_of",
    [
        revoked,
        of_a_removed_member,
        of_a_member_who_came_back,
        of_an_inactive_service_account,
        mistyped,
        lambda db, org: new_key().reveal(),
        lambda db, org: "",
        lambda db, org: "sm_' OR 1=1 --",
        lambda db, org: "x" * 1_000_000,
        lambda db, org: "sm_\udcff\x00",
    ],
)
def test_what_is_not_a_valid_key_is_refused_without_telling_why(
    db: Database, token_of: Callable[[Database, OrgId], str]
) -> None:
    org = an_organization(db)
    a_key(db, org, a_member(db, org, "zoe@example.com"))
    token = token_of(db, org)
    with pytest.raises(Unauthorized) as refused:
        authenticate(db, token)
    assert refused.value.detail == "The API key is not valid."
    assert refused.value.code == "invalid_token"


def test_an_expired_key_is_told_so_from_the_very_moment(db: Database) -> None:
    clock.freeze(NOW)
    org = an_organization(db)
    _, secret = service.create_key(
        db, org, a_member(db, org), name="short", expires_at=clock.now_ms() + 60_000
    )
    clock.freeze(NOW + timedelta(milliseconds=59_999))
    assert authenticate(db, secret.reveal()).org_id == org
    clock.freeze(NOW + timedelta(milliseconds=60_000))
    with pytest.raises(Unauthorized, match="has expired"):
        authenticate(db, secret.reveal())


def test_an_expired_key_that_was_revoked_is_only_invalid(db: Database) -> None:
    clock.freeze(NOW)
    org = an_organization(db)
    made, secret = service.create_key(
        db, org, a_member(db, org), name="short", expires_at=clock.now_ms() + 60_000
    )
    service.revoke_key(db, org, made.key_id)
    clock.freeze(NOW + timedelta(hours=1))
    with pytest.raises(Unauthorized, match="is not valid"):
        authenticate(db, secret.reveal())


def revoke(db: Database, org: OrgId, key: ApiKey) -> None:
    service.revoke_key(db, org, key.key_id)


def demote(db: Database, org: OrgId, key: ApiKey) -> None:
    service.set_role(db, org, UserId(key.principal_id), "guest")


def remove(db: Database, org: OrgId, key: ApiKey) -> None:
    service.remove_member(db, org, UserId(key.principal_id))


@pytest.mark.parametrize(
    ("change", "answer"), [(revoke, "401"), (demote, "guest"), (remove, "401")]
)
def test_a_change_counts_at_the_next_request_of_every_process(
    db: Database,
    database_url: str,
    change: Callable[[Database, OrgId, ApiKey], None],
    answer: str,
) -> None:
    org = an_organization(db)
    text = a_key(db, org, a_member(db, org, role="manager"))
    script = (
        "import sys\n"
        "from stationmaster.access.authenticate import authenticate\n"
        "from stationmaster.db.engine import Database\n"
        "from stationmaster.errors import Unauthorized\n"
        "db = Database.open(sys.argv[1])\n"
        "for line in sys.stdin:\n"
        "    try:\n"
        "        print(authenticate(db, line.strip()).role, flush=True)\n"
        "    except Unauthorized as refused:\n"
        "        print(refused.status, flush=True)\n"
        "db.close()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", script, database_url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdin is not None
        assert other.stdout is not None

        def ask() -> str:
            assert other.stdin is not None
            assert other.stdout is not None
            other.stdin.write(text + "\n")
            other.stdin.flush()
            return other.stdout.readline().strip()

        assert [ask(), ask()] == ["manager", "manager"]
        change(db, org, reads.list_keys(db, org)[0])
        assert ask() == answer
        other.stdin.close()
        assert other.wait(30) == 0


def test_one_query_finds_the_caller_however_many_there_are(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    org = an_organization(db)
    texts = [a_key(db, org, a_member(db, org, f"{n}@example.com")) for n in range(3)]
    asked: list[str] = []
    rows = db.rows

    def counting(sql: str, *params: Any) -> list[tuple[Any, ...]]:
        asked.append(sql)
        return rows(sql, *params)

    monkeypatch.setattr(db, "rows", counting)
    for text in texts:
        authenticate(db, text)
    assert len(asked) == 3
    with pytest.raises(Unauthorized):
        authenticate(db, texts[0][:-1] + "?")
    assert len(asked) == 3


def test_neither_logs_nor_errors_show_a_key(db: Database, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    org = an_organization(db)
    text = a_key(db, org, a_member(db, org))
    unknown = new_key().reveal()
    caller = authenticate(db, text)
    with pytest.raises(Unauthorized) as refused:
        authenticate(db, unknown)
    shown = caplog.text + repr(caller) + repr(refused.value) + refused.value.detail
    assert text[8:] not in shown
    assert unknown[8:] not in shown


def a_caller(role: Role = "manager", scope: Scope = "full") -> Caller:
    return Caller(OrgId("org_a"), "human", "user_a", "a@example.com", role, KeyId("key_a"), scope)


class TestRequire:
    def test_lets_a_named_role_pass(self) -> None:
        require(a_caller("manager"), "owner", "manager")

    def test_lets_any_role_pass_when_none_is_named(self) -> None:
        require(a_caller("guest"))

    @pytest.mark.parametrize("role", ["member", "guest"])
    def test_refuses_another_role(self, role: Role) -> None:
        with pytest.raises(Forbidden, match=f"owner or manager; yours is {role}") as refused:
            require(a_caller(role), "owner", "manager")
        assert refused.value.code == "insufficient_role"

    def test_refuses_an_ingest_key_whatever_its_role(self) -> None:
        for roles in ((), ("owner",)):
            with pytest.raises(Forbidden) as refused:
                require(a_caller("owner", "ingest"), *roles)
            assert refused.value.code == "insufficient_scope"
