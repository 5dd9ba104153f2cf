"""Every secret that the platform takes or makes is told once, if at all, and found nowhere else."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
import typer

from stationmaster.cli.app import app
from tests.spec import day
from tests.support import marking
from tests.support.commands import command, succeed
from tests.support.git_servers import git_server
from tests.support.repositories import Repository
from tests.support.servers import running_server, settings_for
from tests.support.witness import PART, Witness, watched

PASSWORD = "ZqPasswordqZ-correct-horse-battery"
REPOSITORY_TOKEN = "ZqRepositoryTokenqZ-0123456789abcdef"
COMPUTER_SECRET = "ZqComputerSecretqZ-0123456789abcdef"
WRONG = {"unknown": "member"}


@pytest.fixture(scope="module")
def witness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Witness]:
    """A server on which every operation with a secret was done, well and badly."""
    folder = tmp_path_factory.mktemp("secrets")
    (folder / "served").mkdir()
    with git_server(folder / "served") as git:
        Repository(git.folder / "a", "main", "--bare").commit({"README.md": "Hello\n"})
        settings = settings_for(
            folder, "sqlite", repos_private_hosts=git.place, repos_http_hosts=git.place
        )
        who = ("--org", "Acme", "--owner", "ada@example.com")
        made = succeed("init", "--data-dir", settings.data_dir, *who)
        with running_server(settings) as server, watched(server) as seen:
            owner = seen.kept("key of owner", made["api_key"])
            with server.client(owner) as client:
                day.send(client, day.nightly())
            _people(seen, owner)
            _keys(seen, owner)
            _repositories(seen, owner, git.url("a"))
            _computers(seen, owner)
            _reads(seen, owner)
            yield seen


def _people(seen: Witness, owner: str) -> None:
    people = "/api/platform/v1/members"
    invited = seen.ask(
        owner,
        "POST",
        people,
        json={"email": "new@example.com", "role": "member"},
        tells=("invitationUrl",),
    ).json()
    seen.ask(owner, "POST", f"{people}/{invited['userId']}/link", tells=("url",))
    seen.ask(owner, "POST", people, json={"email": "new@example.com", "role": "member"})


def _keys(seen: Witness, owner: str) -> None:
    keys = "/api/platform/v1/keys"
    made = seen.ask(
        owner, "POST", keys, json={"name": "laptop", "scope": "full"}, tells=("apiKey",)
    ).json()
    seen.ask(made["apiKey"], "GET", "/api/platform/v1/me")
    seen.ask(made["apiKey"][:-1] + "x", "GET", "/api/platform/v1/me")
    seen.ask(owner, "GET", f"{keys}/{made['keyId']}")
    seen.ask(owner, "DELETE", f"{keys}/{made['keyId']}")
    seen.ask(made["apiKey"], "GET", "/api/platform/v1/me")


def _repositories(seen: Witness, owner: str, url: str) -> None:
    secret = seen.kept("repository token", REPOSITORY_TOKEN)
    basic = seen.kept("repository password", PASSWORD)
    repositories = "/api/platform/v1/repositories"
    token = {"kind": "token", "secret": secret}
    made = seen.ask(owner, "POST", repositories, json={"url": url, "credential": token}).json()
    mine = f"{repositories}/{made['repoId']}"
    seen.ask(owner, "POST", f"{mine}/refresh")
    seen.ask(owner, "PUT", f"{mine}/credential", json={**token, **WRONG})
    seen.ask(owner, "PUT", f"{mine}/credential", json={**token, "kind": secret})
    seen.ask(owner, "PUT", f"{mine}/credential", json={"kind": "token", "secret": [secret]})
    seen.ask(owner, "PUT", f"{mine}/credential", json={**token, "secret": f"{secret}\r\nX: y"})
    seen.ask(owner, "POST", repositories, json={"url": f"https://u:{basic}@example.com/a"})
    credential = {"kind": "basic", "username": "ada", "secret": basic}
    seen.ask(owner, "PUT", f"{mine}/credential", json=credential)
    seen.ask(owner, "POST", f"{mine}/refresh")
    seen.ask(owner, "GET", mine)


def _computers(seen: Witness, owner: str) -> None:
    secret = seen.kept("computer secret", COMPUTER_SECRET)
    secrets = "/api/v0/organization/computer-secrets"
    seen.ask(owner, "PATCH", secrets, json={"upsert": [{"key": "TOKEN", "value": secret}]})
    for wrong in (
        {"key": "lower case", "value": secret},
        {"key": "TOKEN", "value": [secret]},
        {"key": "TOKEN", "value": secret, **WRONG},
        {"key": "TOKEN", "value": secret * 5000},
    ):
        seen.ask(owner, "PATCH", secrets, json={"upsert": [wrong]})
    seen.ask(owner, "GET", secrets)
    computer = {"name": "desk", "remoteUser": "ada"}
    made = seen.ask(
        owner, "POST", "/api/v0/computers", json=computer, tells=("machineCredential",)
    ).json()
    seen.ask(owner, "GET", f"/api/v0/computers/{made['id']}")


def _reads(seen: Witness, owner: str) -> None:
    """Whatever lists or exports."""
    for path in (
        "/api/platform/v1/audit?limit=100",
        "/api/platform/v1/keys",
        "/api/platform/v1/members",
        "/api/platform/v1/service-accounts",
        "/api/platform/v1/repositories",
        "/api/v0/organization/users",
        "/api/v0/computers",
    ):
        assert seen.ask(owner, "GET", path).status_code == 200
    span = {"startDate": "2026-11-17", "endDate": "2026-11-20"}
    for form in ("application/json", "text/csv", "application/x-ndjson"):
        for report in ("tokens", "tools", "users"):
            path = f"/api/v1/analytics/{report}"
            seen.ask(owner, "GET", path, params=span, headers={"Accept": form})


def test_the_journey_had_every_kind_of_secret(witness: Witness) -> None:
    assert {name.partition(" of ")[0] for name in witness.secrets} >= {
        "key", "apiKey", "invitationUrl", "url", "machineCredential", "repository token",
        "repository password", "computer secret",
    }  # fmt: skip
    assert all(len(secret) >= PART for secret in witness.secrets.values())


def test_no_answer_holds_a_secret_but_the_one_that_tells_it(witness: Witness) -> None:
    assert witness.answers_with_secrets() == []


def test_no_secret_is_in_any_byte_of_the_data_folder(witness: Witness) -> None:
    found = {
        name: places
        for name, secret in witness.secrets.items()
        if (places := marking.places(witness.server.settings.data_dir, mark=secret[-PART:]))
    }

    assert found == {}


def test_no_secret_is_in_the_log_at_its_most_detailed(witness: Witness) -> None:
    logging.getLogger("stationmaster").debug("The last line.")

    assert "The last line." in witness.logged
    assert witness.found_in("\n".join(witness.logged)) == []


def test_no_secret_is_in_the_command_line_of_a_child(witness: Witness) -> None:
    assert any("git" in line for line in witness.commands)
    assert witness.found_in("\n".join(witness.commands)) == []


def test_no_listing_of_the_program_holds_a_secret(witness: Witness) -> None:
    folder = witness.server.settings.data_dir
    listings = [name for name in _commands(typer.main.get_command(app)) if name[-1] == "list"]
    assert len(listings) >= 4

    for name in listings:
        done = command(*name, "--data-dir", folder, "--json")
        assert done.code == 0, (name, done.stderr)
        assert witness.found_in(done.stdout.decode() + done.stderr) == [], name


def _commands(group: object, name: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    children = getattr(group, "commands", None)
    if not children:
        return [name]
    return [leaf for child, sub in children.items() for leaf in _commands(sub, (*name, child))]
