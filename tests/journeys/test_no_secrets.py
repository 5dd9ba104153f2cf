"""Every secret that the platform takes or makes is told once, if at all, and found nowhere else."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import typer

from stationmaster.access import service
from stationmaster.access.signing_in import cookies
from stationmaster.cli.app import app
from tests.spec import day
from tests.support import marking
from tests.support.cast import Cast
from tests.support.commands import command, succeed
from tests.support.git_servers import git_server
from tests.support.issuer import RunningIssuer, running_issuer
from tests.support.repositories import Repository
from tests.support.servers import running_server, settings_for
from tests.support.witness import PART, Witness, watched

AUTH = "/api/platform/v1/auth"
ME = "/api/platform/v1/me"
EMAIL = "new@example.com"
PASSWORD = "ZqPasswordqZ-correct-horse-battery"
REPOSITORY_PASSWORD = "ZqRepositoryPasswordqZ-0123456789"
CLIENT_SECRET = "ZqClientSecretqZ-0123456789abcdef"
REPOSITORY_TOKEN = "ZqRepositoryTokenqZ-0123456789abcdef"
COMPUTER_SECRET = "ZqComputerSecretqZ-0123456789abcdef"
WRONG = {"unknown": "member"}


@pytest.fixture(scope="module")
def witness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Witness]:
    """A server on which every operation with a secret was done, well and badly."""
    folder = tmp_path_factory.mktemp("secrets")
    (folder / "served").mkdir()
    with git_server(folder / "served") as git, running_issuer() as issuer:
        Repository(git.folder / "a", "main", "--bare").commit({"README.md": "Hello\n"})
        settings = settings_for(
            folder,
            "sqlite",
            repos_private_hosts=git.place,
            repos_http_hosts=git.place,
            oidc_issuers=issuer.setting("Acme", client_secret=CLIENT_SECRET),
        )
        who = ("--org", "Acme", "--owner", "ada@example.com")
        made = succeed("init", "--data-dir", settings.data_dir, *who)
        with running_server(settings) as server, watched(server) as seen:
            owner = seen.kept("key of owner", made["api_key"])
            with server.client(owner) as client:
                day.send(client, day.nightly())
            _people(seen, owner)
            _sessions(seen)
            _identity_provider(seen, issuer)
            _pages(seen)
            _keys(seen, owner)
            _repositories(seen, owner, git.url("a"))
            _computers(seen, owner)
            _reads(seen, owner)
            yield seen


def _people(seen: Witness, owner: str) -> None:
    people = "/api/platform/v1/members"
    new = {"email": EMAIL, "role": "member"}
    invited = seen.ask(owner, "POST", people, json=new).json()
    seen.told("invitation", invited["invitationUrl"].rpartition("/")[2])
    again = seen.ask(owner, "POST", f"{people}/{invited['userId']}/link").json()
    link = seen.told("link", again["url"].rpartition("/")[2])
    seen.ask(owner, "POST", people, json=new)
    password = seen.kept("password", PASSWORD)
    wrong = seen.kept("wrong password", PASSWORD[::-1])
    for body in (
        {"token": link, "password": password, **WRONG},
        {"token": link, "password": [password]},
        {"token": [link], "password": password},
        {"token": link + "x", "password": password},
    ):
        assert seen.ask(None, "POST", f"{AUTH}/join", json=body).status_code in (400, 401)
    _tokens(seen, "after joining", seen.ask(
        None, "POST", f"{AUTH}/join", json={"token": link, "password": password}
    ))  # fmt: skip
    for bad in ({"password": wrong}, {"password": [password]}, {"password": password, **WRONG}):
        seen.ask(None, "POST", f"{AUTH}/token", json={"email": EMAIL, **bad})


def _sessions(seen: Witness) -> None:
    given = {"email": EMAIL, "password": PASSWORD}
    access, refresh = _tokens(seen, "first", seen.ask(None, "POST", f"{AUTH}/token", json=given))
    assert seen.ask(access, "GET", ME).status_code == 200
    assert seen.ask(access[:-3] + "abc", "GET", ME).status_code == 401
    assert seen.ask(refresh, "GET", ME).status_code == 401
    renewed = seen.ask(None, "POST", f"{AUTH}/refresh", json={"refreshToken": refresh})
    _, refresh = _tokens(seen, "renewed", renewed)
    seen.ask(None, "POST", f"{AUTH}/refresh", json={"refreshToken": [refresh]})
    seen.ask(None, "POST", f"{AUTH}/refresh", json={"refreshToken": refresh, **WRONG})
    seen.ask(None, "POST", f"{AUTH}/sign-out", json={"refreshToken": refresh})
    seen.ask(None, "POST", f"{AUTH}/refresh", json={"refreshToken": refresh})


def _tokens(seen: Witness, name: str, answer: httpx.Response) -> tuple[str, str]:
    assert answer.status_code == 200, answer.text
    told = answer.json()
    access = seen.told(f"access token {name}", told["accessToken"])
    return access, seen.told(f"refresh token {name}", told["refreshToken"])


def _identity_provider(seen: Witness, issuer: RunningIssuer) -> None:
    seen.kept("secret of the client", CLIENT_SECRET)
    begun = seen.ask(None, "GET", f"{AUTH}/oidc/corp/start", params={"next": "/"})
    back = issuer.sign_in(begun.headers["location"], EMAIL)
    callback = f"{AUTH}/oidc/corp/callback"
    sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in begun.cookies.items())}
    done = seen.ask(None, "GET", callback, params=back, headers=sent)
    assert done.status_code == 302
    seen.told("cookie", done.cookies[cookies.SESSION])
    seen.ask(None, "GET", callback, params=back, headers=sent)
    seen.ask(issuer.token(EMAIL), "GET", ME)


def _pages(seen: Witness) -> None:
    door = {"email": EMAIL, "password": PASSWORD[::-1]}
    assert seen.ask(None, "POST", "/sign-in", data=door).status_code == 401
    entered = seen.ask(None, "POST", "/sign-in", data=door | {"password": PASSWORD})
    session = seen.told("cookie of the pages", entered.cookies[cookies.SESSION])
    sent = {"Cookie": f"{cookies.SESSION}={session}"}
    form = {"name": "browser", "role": "member", "scope": "full", "expires": "30"}
    shown = seen.ask(None, "POST", "/settings/api-keys", data=form, headers=sent)
    [key] = set(re.findall(r"sm_\w{40,}", shown.text))
    seen.told("API key of the pages", key)
    for path in ("/settings/api-keys", "/settings/members"):
        seen.ask(None, "GET", path, headers=sent)
    seen.ask(None, "POST", "/sign-out", headers=sent)


def _keys(seen: Witness, owner: str) -> None:
    keys = "/api/platform/v1/keys"
    made = seen.ask(owner, "POST", keys, json={"name": "laptop", "scope": "full"}).json()
    key = seen.told("API key", made["apiKey"])
    seen.ask(key, "GET", ME)
    seen.ask(key[:-1] + "x", "GET", ME)
    seen.ask(owner, "GET", f"{keys}/{made['keyId']}")
    seen.ask(owner, "DELETE", f"{keys}/{made['keyId']}")
    seen.ask(key, "GET", ME)


def _repositories(seen: Witness, owner: str, url: str) -> None:
    secret = seen.kept("repository token", REPOSITORY_TOKEN)
    basic = seen.kept("repository password", REPOSITORY_PASSWORD)
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
    made = seen.ask(owner, "POST", "/api/v0/computers", json=computer).json()
    seen.told("machine credential", made["machineCredential"])
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
    kinds = {
        "API key", "API key of the pages", "cookie", "cookie of the pages", "invitation", "link",
        "password", "access token first", "refresh token renewed", "secret of the client",
        "repository token", "repository password", "computer secret", "machine credential",
    }  # fmt: skip
    assert kinds <= set(witness.secrets)
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

    assert any("The last line." in line for line in witness.logged)
    assert witness.found_in("\n".join(witness.logged)) == []


def test_no_secret_is_in_the_command_line_of_a_child(witness: Witness) -> None:
    assert any("git" in line for line in witness.commands)
    assert witness.found_in("\n".join(witness.commands)) == []


def test_a_link_is_not_in_the_log_though_its_page_fails(tmp_path: Path) -> None:
    with running_server(settings_for(tmp_path, "sqlite")) as server, watched(server) as seen:
        cast = Cast(server.services.db, "ours")
        guest = cast.people["guest"].user_id
        _, made = service.make_link(cast.db, cast.org, guest, by=None)
        link = seen.kept("link", made.reveal())
        with server.services.db.transaction() as connection:
            connection.exec_driver_sql("DROP TABLE one_time_links")
        assert seen.ask(None, "GET", f"/join/{link}").status_code == 500

    assert any("/join/{token}" in line for line in seen.logged)
    assert seen.found_in("\n".join(seen.logged)) == []


def test_no_listing_of_the_program_holds_a_secret(witness: Witness) -> None:
    folder = witness.server.settings.data_dir
    listings = [name for name in _commands(typer.main.get_command(app)) if name[-1] == "list"]
    assert len(listings) >= 4

    for name in listings:
        about = ("desk",) if name == ("computers", "sessions", "list") else ()
        done = command(*name, *about, "--data-dir", folder, "--json")
        assert done.code == 0, (name, done.stderr)
        assert witness.found_in(done.stdout.decode() + done.stderr) == [], name


def _commands(group: object, name: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    children = getattr(group, "commands", None)
    if not children:
        return [name]
    return [leaf for child, sub in children.items() for leaf in _commands(sub, (*name, child))]
