"""`service-accounts`: the same on a server as in the local data folder."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.support.commands import command, succeed
from tests.support.patience import PATIENCE_S
from tests.support.servers import Server, running_server, settings_for


def test_an_account_is_made_paused_resumed_and_removed(where: tuple[str, ...]) -> None:
    made = succeed("service-accounts", "create", "nightly", "--role", "manager", *where)
    paused = succeed("service-accounts", "pause", "nightly", *where)
    resumed = succeed("service-accounts", "resume", made["serviceAccountId"], *where)
    listed = succeed("service-accounts", "list", *where)
    removed = succeed("service-accounts", "remove", "nightly", *where)

    assert (made["name"], made["role"], made["isActive"]) == ("nightly", "manager", True)
    assert (paused["isActive"], resumed["isActive"]) == (False, True)
    assert listed == {"serviceAccounts": [made]}
    assert removed == {"serviceAccountId": made["serviceAccountId"], "name": "nightly"}
    assert succeed("service-accounts", "list", *where) == {"serviceAccounts": []}


def test_keys_of_a_paused_account_stop_in_a_running_server(
    made: dict[str, str], tmp_path: Path
) -> None:
    data = ("--data-dir", made["data"])
    key = succeed("keys", "create", "--name", "a", "--service-account", "ci", *data)["api_key"]
    with running_server(settings_for(tmp_path, "")) as server:
        statuses = [_status(server, key)]
        for verb in ("pause", "resume", "remove"):
            succeed("service-accounts", verb, "ci", *data)
            statuses.append(_status(server, key))

    assert statuses == [200, 401, 200, 401]


def _status(server: Server, key: str) -> int:
    headers = {"authorization": f"Bearer {key}"}
    return httpx.get(
        f"{server.url}/api/platform/v1/me", headers=headers, timeout=PATIENCE_S
    ).status_code


def test_people_get_a_table_and_one_line(made: dict[str, str]) -> None:
    data = ("--data-dir", made["data"])

    created = command("service-accounts", "create", "nightly", *data)
    table = command("service-accounts", "list", *data).stdout.decode()

    assert created.stderr == "nightly is member.\n"
    columns, row = table.splitlines()
    assert columns.split() == ["name", "role", "active", "created"]
    assert row.split() == ["nightly", "member", "yes", "2026-11-21", "12:00"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("pause", "nobody"), "there is no service account 'nobody'"),
        (("remove", "svc_unknown"), "there is no service account 'svc_unknown'"),
        (("create", "x", "--role", "owner"), "--role: Input should be"),
        (("create", " "), "A name has 1 to 100 characters"),
    ],
)
def test_what_cannot_be_is_one_line(
    arguments: tuple[str, ...], error: str, made: dict[str, str]
) -> None:
    done = command("service-accounts", *arguments, "--data-dir", made["data"])

    assert done.error.startswith(error)
