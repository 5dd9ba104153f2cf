"""`alerts`: destinations, deliveries and replays, beside a folder and from afar."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stationmaster.api.services import Services
from tests.support.cast import Cast
from tests.support.commands import command, succeed
from tests.support.receivers import running_receiver
from tests.support.servers import running_server, settings_for

WHERE = "https://192.88.98.1/hook"


def alerts(made: dict[str, str], *arguments: str) -> Any:
    return succeed("alerts", *arguments, "--data-dir", made["data"])


def test_a_destination_is_added_listed_changed_and_removed(made: dict[str, str]) -> None:
    added = alerts(made, "destinations", "add", "ops", "--address", WHERE, "--kind", "job.failed")
    changed = alerts(made, "destinations", "change", "ops", "--disable", "--all-kinds")
    rotated = alerts(made, "destinations", "rotate", added["destination"]["destinationId"])
    [listed] = alerts(made, "destinations", "list")["destinations"]
    alerts(made, "destinations", "remove", "ops", "--yes")

    assert added["destination"]["kinds"] == ["job.failed"]
    assert (changed["state"], changed["kinds"]) == ("disabled", [])
    assert added["secret"] != rotated["secret"]
    assert added["secret"].startswith("whsec_")
    assert listed["address"] == WHERE
    assert "secret" not in listed
    assert alerts(made, "destinations", "list") == {"destinations": []}
    assert alerts(made, "list") == {"alerts": []}


def test_a_secret_is_printed_once_for_a_person(made: dict[str, str]) -> None:
    done = command(
        *("alerts", "destinations", "add", "ops", "--address", WHERE),
        *("--data-dir", made["data"]),
    )
    listed = command("alerts", "destinations", "list", "--data-dir", made["data"])

    assert done.stdout.startswith(b"whsec_")
    assert b"whsec_" not in listed.stdout
    assert b"ops" in listed.stdout


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("destinations", "add", "x", "--address", "https://127.0.0.1/x"), "private address"),
        (("destinations", "add", "x", "--format", "pager"), "--format is one of webhook,"),
        (("destinations", "add", "x", "--format", "mail", "--to", "owners"), "SMTP_HOST"),
        (("destinations", "test", "x"), "there is no destination 'x'"),
        (("replay",), "name a delivery, or --destination and --since"),
        (("replay", "--destination", "x", "--since", "soon"), "--since takes a time such as"),
        (("deliveries", "--state", "lost"), "--state is one of waiting,"),
    ],
)
def test_a_mistake_is_explained(
    made: dict[str, str], arguments: tuple[str, ...], error: str
) -> None:
    assert error in command("alerts", *arguments, "--data-dir", made["data"]).error


def test_a_test_arrives_and_is_replayed(tmp_path: Path) -> None:
    with running_receiver() as receiver:
        permitted = {
            "alerts_private_hosts": receiver.place,
            "alerts_http_hosts": receiver.place,
        }
        settings = settings_for(tmp_path, "sqlite", **permitted)
        with running_server(settings, with_worker=True) as server:
            services: Services = server.services
            key = Cast(services.db, "ours").keys["owner"]
            there = ("--url", server.url, "--key", str(key))
            succeed("alerts", "destinations", "add", "ops", "--address", receiver.url, *there)
            tested = succeed("alerts", "destinations", "test", "ops", *there)
            [listed] = succeed("alerts", "deliveries", "--destination", "ops", *there)["deliveries"]
            again = succeed("alerts", "replay", listed["deliveryId"], *there)
            count = succeed(
                *("alerts", "replay", "--destination", "ops", "--since", "2020-01-01T00:00Z"),
                *there,
            )
            receiver.answer(500, b"out of order")
            failed = command("alerts", "destinations", "test", "ops", *there)

    assert tested["delivery"]["state"] == "delivered"
    assert [attempt["status"] for attempt in tested["attempts"]] == [204]
    assert again["deliveryId"] == listed["deliveryId"]
    assert count["count"] in (0, 1), "it is sent again at once, and may wait when this is asked"
    assert failed.error == "the test was not accepted: out of order"
