"""`keys`: who may do what, effective in a running server with the next request."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.support.commands import command, succeed
from tests.support.patience import PATIENCE_S
from tests.support.servers import Server, running_server, settings_for

QUERY = {"startDate": "2026-11-20", "endDate": "2026-11-20"}


def _keys(made: dict[str, str], verb: str, *more: str) -> dict[str, object]:
    return dict(succeed("keys", verb, *more, "--data-dir", made["data"]))


def _members(made: dict[str, str], verb: str, *more: str) -> dict[str, object]:
    return dict(succeed("members", verb, *more, "--data-dir", made["data"]))


def _status(server: Server, key: object, path: str = "/api/v1/analytics/tokens") -> int:
    headers = {"authorization": f"Bearer {key}"}
    return httpx.get(
        server.url + path, params=QUERY, headers=headers, timeout=PATIENCE_S
    ).status_code


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


def test_a_list_is_a_table_for_people(made: dict[str, str]) -> None:
    keys = command("keys", "list", "--data-dir", made["data"]).stdout.decode()

    assert "first key" in keys


def test_a_key_of_somebody_who_has_not_joined_is_refused(made: dict[str, str]) -> None:
    _members(made, "invite", "ada@example.com")

    create = ("keys", "create", "--name", "x", "--member", "ada@example.com")
    done = command(*create, "--data-dir", made["data"])

    assert done.error == "ada@example.com has not joined yet."


def test_a_revocation_names_the_keys_that_stay_active(made: dict[str, str], tmp_path: Path) -> None:
    with running_server(settings_for(tmp_path, "")) as server:
        child = httpx.post(
            f"{server.url}/api/platform/v1/keys",
            headers={"authorization": f"Bearer {made['api_key']}"},
            json={"name": "child", "scope": "full"},
            timeout=PATIENCE_S,
        ).json()
    first = _first_key(made)

    done = command("keys", "revoke", first, "--data-dir", made["data"])
    again = command("keys", "revoke", first, "--with-made", "--data-dir", made["data"])

    assert f"{child['keyId']} (child), made with it" in done.stderr
    assert "Still active" not in again.stderr


def _first_key(made: dict[str, str]) -> str:
    listed = command("keys", "list", "--data-dir", made["data"], "--json").json["keys"]
    return str(next(key["key_id"] for key in listed if key["name"] == "first key"))
