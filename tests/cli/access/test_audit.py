"""`audit`: what was changed, from the data folder or a server."""

from __future__ import annotations

from pathlib import Path

from tests.support.commands import command, succeed
from tests.support.servers import running_server, settings_for


def test_every_command_that_changes_something_is_in_the_log(made: dict[str, str]) -> None:
    data = ("--data-dir", made["data"])
    for change in (
        ("members", "add", "ada@example.com"),
        ("members", "invite", "bob@example.com"),
        ("members", "link", "bob@example.com"),
        ("members", "role", "ada@example.com", "guest"),
        ("members", "remove", "ada@example.com"),
        ("service-accounts", "create", "ci"),
        ("service-accounts", "pause", "ci"),
        ("service-accounts", "remove", "ci"),
    ):
        succeed(*change, *data)
    key = succeed("keys", "create", "--name", "a", *data)
    succeed("keys", "revoke", key["key_id"], *data)

    events = succeed("audit", *data)["events"]

    assert [event["eventType"] for event in reversed(events)] == [
        "organization_created",
        "member_added",
        "api_key_created",
        "member_added",
        "member_invited",
        "member_link_created",
        "member_role_changed",
        "member_removed",
        "service_account_created",
        "service_account_changed",
        "service_account_removed",
        "api_key_created",
        "api_key_revoked",
    ]
    assert [event["source"] for event in reversed(events)] == ["system"] * 3 + ["cli"] * 10
    assert {event["actor"] and event["actor"]["id"] for event in events} == {None, made["user_id"]}


def test_a_type_and_a_number_narrow_it_down(made: dict[str, str]) -> None:
    data = ("--data-dir", made["data"])

    first = succeed("audit", "--type", "api_key_created", *data)["events"]
    newest = succeed("audit", "--limit", "1", *data)["events"]

    assert [event["eventType"] for event in first] == ["api_key_created"]
    assert newest == first


def test_more_than_a_page_is_read_on(made: dict[str, str], tmp_path: Path) -> None:
    with running_server(settings_for(tmp_path, "")) as server:
        with server.client(made["api_key"]) as client:
            for number in range(101):
                new = {"name": f"n{number}", "role": "guest"}
                assert client.post("/api/platform/v1/service-accounts", json=new).is_success
        where = ("--url", server.url, "--key", made["api_key"])

        events = succeed("audit", "--limit", "500", *where)["events"]

    assert len(events) == 104
    assert len({event["auditId"] for event in events}) == 104


def test_people_get_a_table(made: dict[str, str]) -> None:
    table = command("audit", "--data-dir", made["data"]).stdout.decode()

    columns, newest, *_ = table.splitlines()
    assert columns.split() == ["time", "event", "by", "details"]
    assert "api_key_created" in newest
    assert "scope=full" in newest


def test_whoever_may_not_read_it_is_told_in_one_line(made: dict[str, str], tmp_path: Path) -> None:
    data = ("--data-dir", made["data"])
    succeed("members", "add", "ada@example.com", "--role", "manager", *data)
    key = succeed("keys", "create", "--name", "a", "--member", "ada@example.com", *data)["api_key"]
    with running_server(settings_for(tmp_path, "")) as server:
        done = command("audit", "--url", server.url, "--key", key)

    assert done.error == "This needs the role owner; yours is manager."
