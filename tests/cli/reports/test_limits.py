"""`limits`: setting caps and seeing what is used of them, beside a folder and from afar."""

from __future__ import annotations

from pathlib import Path

import pytest

from stationmaster import clock
from tests.spec import day
from tests.support.commands import command, succeed
from tests.support.servers import running_server, settings_for

OWNER = "owner@localhost"


def limits(made: dict[str, str], verb: str, *more: str) -> dict[str, object]:
    return dict(succeed("limits", verb, *more, "--data-dir", made["data"]))


def test_an_own_limit_is_set_shown_and_removed(made: dict[str, str]) -> None:
    assert limits(made, "set", OWNER, "2000000") == {"email": OWNER, "limit": 2_000_000}
    [shown] = limits(made, "list")["principals"]  # type: ignore[misc] # It is a list.
    assert (shown["email"], shown["limit"], shown["used"]) == (OWNER, 2_000_000, 0)

    assert limits(made, "remove", OWNER) == {"email": OWNER, "limit": None}


def test_the_default_is_shown_set_and_cleared(made: dict[str, str]) -> None:
    assert limits(made, "global") == {"globalLimit": None}
    assert limits(made, "global", "3000000") == {"globalLimit": 3_000_000}
    assert limits(made, "global") == {"globalLimit": 3_000_000}
    assert limits(made, "global", "--clear") == {"globalLimit": None}


def test_a_service_account_is_named_by_its_id(made: dict[str, str]) -> None:
    create = ("--name", "ci", "--service-account", "ci", "--data-dir", made["data"])
    account = succeed("keys", "create", *create)["principal_id"]

    assert limits(made, "set", account, "1000000") == {"id": account, "limit": 1_000_000}
    assert limits(made, "remove", account) == {"id": account, "limit": None}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            ("set", "no@example.com", "1000000"),
            "no@example.com: There is no member with this address",
        ),
        (
            ("set", OWNER, "5"),
            "A limit is at least 1,000,000 credits (about $2.50) a month, not 5.",
        ),
        (("global", "5"), "A limit is at least 1,000,000 credits (about $2.50) a month, not 5."),
        (
            ("set", "nobody", "1000000"),
            "WHO is a member's e-mail address or a service account's id",
        ),
        (("remove", "svc_none"), "There is no such service account."),
        (("global", "1000000", "--clear"), "name a limit or --clear, not both"),
    ],
)
def test_what_cannot_be_is_one_line(
    made: dict[str, str], arguments: tuple[str, ...], error: str
) -> None:
    done = command("limits", *arguments, "--data-dir", made["data"])

    assert done.error.startswith(error)


def test_a_server_is_asked_page_by_page_and_the_nearest_to_a_limit_comes_first(
    tmp_path: Path,
) -> None:
    clock.freeze(day.NOW)
    with running_server(settings_for(tmp_path, "sqlite")) as server:
        acme = day.Acme(server.services.db)
        with server.client(acme.key) as client:
            day.send(client, day.tuesday())
        remote = ("--url", server.url, "--key", acme.key)
        succeed("limits", "global", "1000000", *remote)
        found = succeed("limits", "list", *remote)
        table = command("limits", "list", *remote)

    assert [each["email"] or each["name"] for each in found["principals"]] == [
        "ada@example.com",
        "nightly",
    ]
    assert "pagination" not in found
    assert table.stdout.decode().split()[:6] == [
        "who", "used", "limit", "remaining", "share", "ada@example.com",
    ]  # fmt: skip
    assert "1,550" in table.stdout.decode()
    assert "2026-11-01 to 2026-11-30, counted through 2026-11-20." in table.stderr
