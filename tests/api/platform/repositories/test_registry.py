"""/api/platform/v1/repositories: registering, reaching and forgetting repositories."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from stationmaster.ids import OrgId, RepoId
from stationmaster.repos import mirrors, service
from tests.support import databases
from tests.support.cast import Cast
from tests.support.git_servers import GitServer, git_server, status
from tests.support.repositories import Repository
from tests.support.servers import Server, running_server, settings_for

PATH = "/api/platform/v1/repositories"
URL = "https://git.example/acme/app"
TOKEN = {"kind": "token", "secret": "marked-secret-0451"}


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitServer]:
    with git_server(tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture(scope="module", params=databases.KINDS)
def served(
    request: pytest.FixtureRequest, git: GitServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("repositories")
    permitted = {"repos_private_hosts": git.place, "repos_http_hosts": git.place}
    if request.param == "sqlite":
        with running_server(settings_for(folder, "sqlite", **permitted)) as server:
            yield server
        return
    with (
        request.getfixturevalue("postgresql").database() as url,
        running_server(settings_for(folder, url, **permitted)) as server,
    ):
        yield server


@pytest.fixture
def cast(served: Server) -> Cast:
    return Cast(served.services.db, "acme")


@pytest.fixture
def manager(served: Server, cast: Cast) -> Iterator[httpx.Client]:
    with served.client(cast.keys["manager"]) as client:
        yield client


@pytest.fixture
def origin(git: GitServer, tmp_path: Path) -> Iterator[Repository]:
    """A fresh repository, served under the name of its folder."""
    git.before.clear()
    git.authorization = None
    yield Repository(git.folder / tmp_path.name, "main", "--bare")
    git.before.clear()
    git.authorization = None


def refusal(answer: httpx.Response) -> tuple[int, str]:
    assert set(answer.json()) == {"detail", "status", "title", "metadata"}
    return answer.status_code, answer.json()["metadata"]["code"]


def test_a_repository_is_registered_once_and_shown_without_its_credential(
    manager: httpx.Client, cast: Cast
) -> None:
    made = manager.post(PATH, json={"url": "git@git.example:acme/app.git", "credential": TOKEN})
    again = manager.post(PATH, json={"url": URL})
    shown = manager.get(f"{PATH}/{made.json()['repoId']}")

    assert (made.status_code, again.status_code, shown.status_code) == (201, 200, 200)
    assert made.json() == again.json() == shown.json()
    assert {
        name: value for name, value in made.json().items() if name not in ("repoId", "createdAt")
    } == {
        "url": URL,
        "provider": "other",
        "defaultBranch": None,
        "headCommit": None,
        "fetchedAt": None,
        "fetchError": None,
        "hasCredential": True,
        "createdBy": cast.people["manager"].user_id,
    }
    assert "marked-secret" not in made.text + again.text + shown.text


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "bad_request"),
        ({"url": ""}, "bad_request"),
        ({"url": "nonsense"}, "invalid_repository_url"),
        ({"url": "file:///etc/passwd"}, "invalid_repository_url"),
        ({"url": "https://git.example/a\x00b"}, "invalid_repository_url"),
        ({"url": "https://git.example/\ud800"}, "bad_request"),
        ({"url": URL, "branch": "main"}, "bad_request"),
        ({"url": URL, "credential": {"kind": "ssh", "secret": "x"}}, "bad_request"),
        ({"url": URL, "credential": {"kind": "basic", "secret": "x"}}, "invalid_credential"),
        ({"url": URL, "credential": {"kind": "token", "secret": "a\nb"}}, "invalid_credential"),
        ({"url": URL, "credential": {**TOKEN, "username": "\x00"}}, "invalid_credential"),
        ({"url": URL, "credential": {**TOKEN, "secret": "x" * 5000}}, "bad_request"),
    ],
)
def test_what_cannot_be_registered_is_400_and_leaves_nothing(
    manager: httpx.Client, body: dict[str, object], code: str
) -> None:
    sent = json.dumps(body).encode()  # With escapes, since no client sends half a character.
    answer = manager.post(PATH, content=sent, headers={"Content-Type": "application/json"})

    assert refusal(answer) == (400, code)
    assert "x" * 100 not in answer.text
    assert manager.get(PATH).json()["repositories"] == []


def test_the_list_goes_page_by_page_and_finds_by_address(manager: httpx.Client) -> None:
    for name in ("c", "a", "e", "b", "d"):
        manager.post(PATH, json={"url": f"https://git.example/{name}"})

    pages, cursor = [], ""
    while cursor is not None:
        page = manager.get(PATH, params={"limit": 2, "cursor": cursor}).json()
        pages.append([each["url"][-1] for each in page["repositories"]])
        cursor = page["pagination"]["nextCursor"]
        assert page["pagination"]["hasMore"] is (cursor is not None)
    found = manager.get(PATH, params={"url": "ssh://git@GIT.example/b.git"}).json()
    none = manager.get(PATH, params={"url": "https://git.example/z"}).json()

    assert pages == [["a", "b"], ["c", "d"], ["e"]]
    assert [each["url"] for each in found["repositories"]] == ["https://git.example/b"]
    assert none == {"repositories": [], "pagination": {"hasMore": False, "nextCursor": None}}


@pytest.mark.parametrize(
    "params", [{"limit": 0}, {"limit": 101}, {"cursor": "x" * 12_001}, {"url": "nonsense"}]
)
def test_a_list_that_makes_no_sense_is_400(
    manager: httpx.Client, params: dict[str, str | int]
) -> None:
    assert manager.get(PATH, params=params).status_code == 400


def test_a_strange_cursor_is_a_place_like_any_other(manager: httpx.Client) -> None:
    for cursor in ("~", "%ff", "%" * 5_000):
        assert manager.get(PATH, params={"cursor": cursor}).status_code == 200


def test_a_cursor_that_no_address_could_be_is_400(manager: httpx.Client) -> None:
    for cursor in ("\x00", "\U0001f600", " "):
        assert manager.get(PATH, params={"cursor": cursor}).status_code == 400


def test_a_refresh_fetches_and_answers_what_it_found(
    manager: httpx.Client, origin: Repository, git: GitServer
) -> None:
    commit = origin.commit({"a": "1"})
    made = manager.post(PATH, json={"url": git.url(origin.path.name)}).json()

    answer = manager.post(f"{PATH}/{made['repoId']}/refresh")

    assert answer.status_code == 200
    assert (answer.json()["headCommit"], answer.json()["defaultBranch"]) == (commit, "main")
    assert answer.json() == manager.get(f"{PATH}/{made['repoId']}").json()


def test_a_refresh_that_fails_is_409_with_a_code_that_the_record_keeps(
    manager: httpx.Client, origin: Repository, git: GitServer
) -> None:
    origin.commit({"a": "1"})
    path = f"{PATH}/{manager.post(PATH, json={'url': git.url(origin.path.name)}).json()['repoId']}"
    git.authorization = "Bearer marked-secret-0451"

    assert refusal(manager.post(f"{path}/refresh")) == (409, "repository_forbidden")
    assert manager.get(path).json()["fetchError"] == "forbidden"

    assert manager.put(f"{path}/credential", json=TOKEN).json()["hasCredential"]
    assert manager.post(f"{path}/refresh").json()["fetchError"] is None

    git.before["/info/refs"] = status(502)
    assert refusal(manager.post(f"{path}/refresh")) == (409, "repository_unreachable")


def test_a_refresh_of_a_busy_repository_is_503(
    served: Server,
    cast: Cast,
    manager: httpx.Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mirrors, "LOCK_WAIT_S", 0.05)
    repo = RepoId(manager.post(PATH, json={"url": URL}).json()["repoId"])

    with mirrors._locked(served.settings, OrgId(cast.org), repo):
        answer = manager.post(f"{PATH}/{repo}/refresh")

    assert refusal(answer) == (503, "repository_busy")
    assert int(answer.headers["retry-after"]) > 0


@pytest.mark.attack
def test_a_private_address_is_not_asked(manager: httpx.Client) -> None:
    made = manager.post(PATH, json={"url": "https://169.254.169.254/latest/meta-data"}).json()

    answer = manager.post(f"{PATH}/{made['repoId']}/refresh")

    assert refusal(answer) == (409, "repository_address_refused")


def test_a_credential_can_be_set_and_removed_and_never_read(manager: httpx.Client) -> None:
    path = f"{PATH}/{manager.post(PATH, json={'url': URL}).json()['repoId']}/credential"

    put = manager.put(path, json={"kind": "basic", "secret": "marked-secret", "username": "ada"})
    read = manager.get(path)
    removed = [manager.delete(path), manager.delete(path)]

    assert put.status_code == 200
    assert put.json()["hasCredential"]
    assert "marked-secret" not in put.text
    assert read.status_code == 405
    assert [(each.status_code, each.content) for each in removed] == [(204, b""), (204, b"")]
    assert not manager.get(path.removesuffix("/credential")).json()["hasCredential"]


def test_a_removed_repository_is_gone_with_what_was_fetched(
    served: Server, manager: httpx.Client, cast: Cast, origin: Repository, git: GitServer
) -> None:
    origin.commit({"a": "1"})
    path = f"{PATH}/{manager.post(PATH, json={'url': git.url(origin.path.name)}).json()['repoId']}"
    manager.post(f"{path}/refresh")
    folder = served.settings.repos_dir / cast.org
    fetched = list(folder.iterdir())

    assert manager.delete(path).status_code == 204
    assert fetched
    assert list(folder.iterdir()) == []
    assert refusal(manager.get(path)) == (404, "not_found")
    assert refusal(manager.delete(path)) == (404, "not_found")
    assert manager.get(PATH).json()["repositories"] == []


@pytest.mark.parametrize("strange", ["repo_missing", "x", "a%2Fb", ".."])
def test_what_is_no_repository_is_404(manager: httpx.Client, strange: str) -> None:
    assert manager.post(f"{PATH}/{strange}/refresh").status_code == 404


def test_what_cannot_be_an_identifier_is_400(manager: httpx.Client) -> None:
    assert manager.post(f"{PATH}/%F0%9F%98%80/refresh").status_code == 400


def test_another_organizations_repository_is_404_and_stays_what_it_is(
    served: Server, manager: httpx.Client
) -> None:
    theirs = Cast(served.services.db, "theirs")
    with served.client(theirs.keys["owner"]) as stranger:
        made = stranger.post(PATH, json={"url": URL, "credential": TOKEN}).json()
        path = f"{PATH}/{made['repoId']}"
        for method, below in (
            ("GET", ""),
            ("DELETE", ""),
            ("DELETE", "/credential"),
            ("POST", "/refresh"),
        ):
            assert refusal(manager.request(method, path + below)) == (404, "not_found")
        assert refusal(manager.put(f"{path}/credential", json=TOKEN)) == (404, "not_found")
        assert stranger.get(path).json() == made
    assert manager.get(PATH, params={"url": URL}).json()["repositories"] == []


@pytest.mark.parametrize("caller", ["member", "svc"])
def test_members_read_and_change_nothing(
    served: Server, cast: Cast, manager: httpx.Client, caller: str
) -> None:
    path = f"{PATH}/{manager.post(PATH, json={'url': URL}).json()['repoId']}"
    with served.client(cast.keys[caller]) as member:
        assert member.get(path).json()["url"] == URL
        for method, address in (
            ("POST", PATH),
            ("DELETE", path),
            ("DELETE", f"{path}/credential"),
            ("POST", f"{path}/refresh"),
        ):
            body = {"url": URL} if address == PATH else None
            assert member.request(method, address, json=body).status_code == 403
    assert len(service.list_page(served.services.db, cast.org)) == 1
