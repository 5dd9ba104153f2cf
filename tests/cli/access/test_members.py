"""`members`: people of an organization, effective in a running server with the next request."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from stationmaster.access.signing_in import links
from stationmaster.db.engine import Database
from tests.support.commands import command, succeed
from tests.support.patience import PATIENCE_S
from tests.support.servers import Server, running_server, settings_for


def _keys(made: dict[str, str], verb: str, *more: str) -> dict[str, object]:
    return dict(succeed("keys", verb, *more, "--data-dir", made["data"]))


def _members(made: dict[str, str], verb: str, *more: str) -> dict[str, object]:
    return dict(succeed("members", verb, *more, "--data-dir", made["data"]))


def _status(server: Server, key: object) -> int:
    headers = {"authorization": f"Bearer {key}"}
    return httpx.get(
        f"{server.url}/api/platform/v1/me", headers=headers, timeout=PATIENCE_S
    ).status_code


def _purpose(made: dict[str, str], url: object) -> str:
    """What a printed address is good for."""
    base, _, token = str(url).rpartition("/")
    assert base == "http://127.0.0.1:8700/join"
    db = Database.open(f"sqlite:///{made['data']}/stationmaster.sqlite3")
    try:
        return links.peek(db, token).purpose
    finally:
        db.close()


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
    emails = [each["email"] for each in _members(made, "list")["members"]]  # type: ignore[attr-defined]  # JSON
    assert emails == ["owner@localhost"]


def test_the_last_owner_stays(made: dict[str, str]) -> None:
    done = command("members", "remove", "owner@localhost", "--data-dir", made["data"])

    assert "owner" in done.error


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("add", "nobody"), "This is not an e-mail address."),
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


def test_whoever_is_invited_is_listed_so_and_gets_an_address(made: dict[str, str]) -> None:
    invited = _members(made, "invite", "Ada@Example.com", "--role", "manager")
    again = _members(made, "link", "ada@example.com")

    assert (invited["email"], invited["role"], invited["status"]) == (
        "ada@example.com",
        "manager",
        "invited",
    )
    assert _purpose(made, again["url"]) == "invitation"
    assert _purpose(made, _members(made, "link", "owner@localhost")["url"]) == "password"
    listed = command("members", "list", "--data-dir", made["data"]).stdout.decode()
    columns, ada, _ = listed.splitlines()
    assert columns.split() == ["e-mail", "role", "status", "team", "added"]
    assert ada.split()[:3] == ["ada@example.com", "manager", "invited"]


def test_the_address_alone_is_on_standard_output(made: dict[str, str]) -> None:
    env = {"STATIONMASTER_APP_URL": "https://agents.example.com/"}
    done = command("members", "invite", "ada@example.com", "--data-dir", made["data"], env=env)

    assert done.stdout.startswith(b"https://agents.example.com/join/sml_")
    assert len(done.stdout.split()) == 1


def test_adding_whoever_is_invited_makes_a_member(made: dict[str, str]) -> None:
    _members(made, "invite", "ada@example.com", "--role", "manager")

    added = _members(made, "add", "ada@example.com")

    assert (added["status"], added["role"]) == ("active", "manager")


def test_a_role_is_changed_by_address(made: dict[str, str]) -> None:
    _members(made, "add", "ada@example.com")

    assert _members(made, "role", "Ada@example.com", "viewer")["role"] == "guest"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("invite", "owner@localhost"), "owner@localhost is a member already."),
        (("invite", "nobody"), "This is not an e-mail address."),
        (("invite", "a@b.c", "--role", "king"), "A role is one of"),
        (("link", "no@example.com"), "no@example.com is no member"),
        (("role", "no@example.com", "guest"), "no@example.com is no member"),
        (("role", "owner@localhost", "guest"), "An organization keeps at least one owner."),
    ],
)
def test_what_cannot_be_is_one_line(
    arguments: tuple[str, ...], error: str, made: dict[str, str]
) -> None:
    assert command("members", *arguments, "--data-dir", made["data"]).error.startswith(error)


def test_a_file_adds_people_and_sets_their_roles_and_teams(
    made: dict[str, str], tmp_path: Path
) -> None:
    _members(made, "add", "ada@example.com")
    file = tmp_path / "people.csv"
    file.write_text("email,role,team\nAda@example.com,manager,Platform\nben@example.com,,\n")

    found = _members(made, "import", str(file))["members"]

    assert [(each["email"], each["role"], each["team"]) for each in found] == [  # type: ignore[attr-defined] # JSON.
        ("ada@example.com", "manager", "Platform"),
        ("ben@example.com", "member", None),
    ]
    assert _members(made, "team", "ada@example.com")["team"] is None


@pytest.mark.parametrize(
    "text", ["name\nAda\n", "email,role\nada@example.com,emperor\n", "email\nada\n", '"email\n\xff']
)
def test_a_file_that_is_wrong_anywhere_changes_nothing(
    made: dict[str, str], tmp_path: Path, text: str
) -> None:
    file = tmp_path / "people.csv"
    file.write_bytes(text.encode("latin-1"))

    assert command("members", "import", str(file), "--data-dir", made["data"]).code == 1
    assert len(_members(made, "list")["members"]) == 1  # type: ignore[arg-type] # JSON.


@pytest.mark.parametrize("address", ["sm.example.com", "sm.example.com:8700", "ftp://sm.example"])
def test_a_public_address_without_a_scheme_is_refused_and_makes_no_link(
    made: dict[str, str], monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("STATIONMASTER_APP_URL", address)

    done = command("members", "link", "ada@example.com", "--data-dir", made["data"])

    assert done.code == 1
    assert done.error.startswith("STATIONMASTER_APP_URL is the public address with its scheme")
    assert b"/join/" not in done.stdout
