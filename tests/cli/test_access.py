"""`keys` and `members`: who may do what, effective in a running server with the next request."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.support.commands import command, succeed
from tests.support.servers import Server, running_server, settings_for

QUERY = {"startDate": "2026-11-20", "endDate": "2026-11-20"}


def _keys(made: dict[str, str], verb: str, *more: str) -> dict[str, object]:
    return dict(succeed("keys", verb, *more, "--data-dir", made["data"]))


def _members(made: dict[str, str], verb: str, *more: str) -> dict[str, object]:
    return dict(succeed("members", verb, *more, "--data-dir", made["data"]))


def _status(server: Server, key: object, path: str = "/api/v1/analytics/tokens") -> int:
    headers = {"authorization": f"Bearer {key}"}
    return httpx.get(server.url + path, params=QUERY, headers=headers).status_code


def test_a_new_key_is_the_first_owners_and_works(made: dict[str, str], tmp_path: Path) -> None:
    key = _keys(made, "create", "--name", "laptop")

    assert key["principal_id"] == made["user_id"]
    assert key["scope"] == "full"
    with running_server(settings_for(tmp_path, "")) as server:
        assert _status(server, key["api_key"]) == 200


def test_keys_are_listed_without_their_secrets(made: dict[str, str]) -> None:
    key = _keys(made, "create", "--name", "laptop", "--scope", "ingest")

    done = command("keys", "list", "--data-dir", made["data"], "--json")

    listed = {each["name"]: each for each in done.json["keys"]}
    assert sorted(listed) == ["first key", "laptop"]
    assert listed["laptop"]["key_id"] == key["key_id"]
    assert listed["laptop"]["scope"] == "ingest"
    assert str(key["api_key"]).encode() not in done.stdout
    assert str(made["api_key"]).encode() not in done.stdout


def test_the_secret_alone_is_on_standard_output(made: dict[str, str]) -> None:
    done = command("keys", "create", "--name", "laptop", "--data-dir", made["data"])

    assert done.stdout.startswith(b"sm_")
    assert len(done.stdout.split()) == 1


def test_a_revoked_key_is_refused_at_once(made: dict[str, str], tmp_path: Path) -> None:
    key = _keys(made, "create", "--name", "laptop")
    with running_server(settings_for(tmp_path, "")) as server:
        before = _status(server, key["api_key"])

        revoked = _keys(made, "revoke", str(key["key_id"]))

        assert (before, _status(server, key["api_key"])) == (200, 401)
    assert revoked["key_id"] == key["key_id"]
    assert revoked["revoked_at"] is not None


def test_a_key_ends_with_its_last_day(made: dict[str, str], tmp_path: Path) -> None:
    today = _keys(made, "create", "--name", "a", "--expires", "2026-11-21")
    with running_server(settings_for(tmp_path, "")) as server:
        assert _status(server, today["api_key"]) == 200
        command("keys", "list", env={"STATIONMASTER_NOW": "2026-11-22T00:00:00Z"})

        assert _status(server, today["api_key"]) == 401
    assert today["expires_at"] == 1_795_305_600_000


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("create", "--name", "x", "--expires", "tomorrow"), "not a date of the form YYYY-MM-DD"),
        (("create", "--name", "x", "--scope", "all"), "a scope is one of full, ingest"),
        (("create", "--name", "x", "--member", "no@example.com"), "no@example.com is no member"),
        (("create", "--name", ""), "A name has 1 to 100 characters"),
        (
            ("create", "--name", "x", "--member", "a@b.c", "--service-account", "ci"),
            "a key belongs to a member or a service account, not both",
        ),
        (("revoke", "key_none"), "There is no such key."),
    ],
)
def test_what_cannot_be_is_one_line(
    arguments: tuple[str, ...], error: str, made: dict[str, str]
) -> None:
    done = command("keys", *arguments, "--data-dir", made["data"])

    assert done.error.startswith(error)


def test_a_service_account_is_made_once_and_may_have_several_keys(made: dict[str, str]) -> None:
    first = _keys(made, "create", "--name", "a", "--service-account", "ci")
    second = _keys(made, "create", "--name", "b", "--service-account", "ci")

    assert str(first["principal_id"]).startswith("svc_")
    assert first["principal_id"] == second["principal_id"]
    assert first["api_key"] != second["api_key"]


def test_roles_decide_who_reads_reports(made: dict[str, str], tmp_path: Path) -> None:
    keys = {}
    for role in ("guest", "member", "manager", "owner"):
        _members(made, "add", f"{role}@example.com", "--role", role)
        key = _keys(made, "create", "--name", role, "--member", f"{role}@example.com")
        keys[role] = key["api_key"]
    ingest = _keys(made, "create", "--name", "laptop", "--scope", "ingest")["api_key"]

    with running_server(settings_for(tmp_path, "")) as server:
        statuses = {role: _status(server, key) for role, key in keys.items()}
        statuses["ingest"] = _status(server, ingest)

    assert statuses == {"guest": 403, "member": 403, "manager": 200, "owner": 200, "ingest": 403}


def test_adding_a_member_again_with_a_role_changes_the_role(made: dict[str, str]) -> None:
    first = _members(made, "add", "ada@example.com")
    again = _members(made, "add", "Ada@Example.com")
    promoted = _members(made, "add", "ada@example.com", "--role", "manager")
    unchanged = _members(made, "add", "ada@example.com")

    assert [each["role"] for each in (first, again, promoted, unchanged)] == [
        "member",
        "member",
        "manager",
        "manager",
    ]
    assert len({each["user_id"] for each in (first, again, promoted, unchanged)}) == 1


def test_a_removed_members_keys_stop_at_once(made: dict[str, str], tmp_path: Path) -> None:
    member = _members(made, "add", "ada@example.com", "--role", "manager")
    key = _keys(made, "create", "--name", "a", "--member", "ada@example.com")["api_key"]
    with running_server(settings_for(tmp_path, "")) as server:
        before = _status(server, key)

        removed = _members(made, "remove", "ada@example.com")

        assert (before, _status(server, key)) == (200, 401)
    assert removed == {"user_id": member["user_id"]}
    emails = [each["email"] for each in _members(made, "list")["members"]]  # type: ignore[attr-defined]
    assert emails == ["owner@localhost"]


def test_the_last_owner_stays(made: dict[str, str]) -> None:
    done = command("members", "remove", "owner@localhost", "--data-dir", made["data"])

    assert "owner" in done.error


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("add", "nobody"), "This is no e-mail address."),
        (("remove", "no@example.com"), "no@example.com is no member"),
    ],
)
def test_people_who_cannot_be_are_one_line(
    arguments: tuple[str, ...], error: str, made: dict[str, str]
) -> None:
    assert command("members", *arguments, "--data-dir", made["data"]).error.startswith(error)


def test_an_unknown_role_is_one_line(made: dict[str, str]) -> None:
    add = ("members", "add", "a@b.c", "--role", "king", "--data-dir", made["data"])

    assert "owner, manager, member" in command(*add).error


def test_lists_are_tables_for_people(made: dict[str, str]) -> None:
    members = command("members", "list", "--data-dir", made["data"]).stdout.decode()
    keys = command("keys", "list", "--data-dir", made["data"]).stdout.decode()

    assert members.split()[:4] == ["user_id", "email", "role", "created_at"]
    assert "owner@localhost" in members
    assert "first key" in keys
