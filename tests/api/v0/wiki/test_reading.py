"""Runs, pages, history and search of wikis: what goes over the wire."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from stationmaster.ids import OrgId
from tests.api.v0.wiki.uploads import PAGES, WIKI, ZIP, a_client, code, uploaded
from tests.support.builders import an_organization
from tests.support.servers import Server, running_server, settings_for
from tests.wiki.wikis import REPO


def test_a_run_is_read_with_its_page_tree_and_each_page(ada: httpx.Client) -> None:
    run = uploaded(ada)

    found = ada.get(f"{WIKI}/{run['wikiRunId']}").json()

    tree = found.pop("pageTree")
    assert found == run
    ids = [tree[0]["pageId"], tree[1]["children"][0]["pageId"]]
    assert tree[0] == {
        "pageId": ids[0],
        "title": "Engine",
        "path": "index",
        "order": 0,
        "children": [],
    }
    assert (tree[1]["title"], tree[1]["path"]) == ("Guides", "guides")
    assert (tree[2]["title"], tree[2]["path"], tree[2]["order"]) == ("Parts", "parts", 7)
    assert ada.get(f"{WIKI}/{run['wikiRunId']}/pages/{ids[1]}").json() == {
        "pageId": ids[1],
        "path": "guides/start",
        "title": "Start",
        "content": "# Start\n\nTurn the key.\n",
        "order": 3,
    }


def test_every_node_of_the_tree_has_a_page_that_answers(ada: httpx.Client) -> None:
    run = f"{WIKI}/{uploaded(ada)['wikiRunId']}"
    nodes = ada.get(run).json()["pageTree"]

    while nodes:
        node = nodes.pop()
        page = ada.get(f"{run}/pages/{node['pageId']}").json()
        assert {name: page[name] for name in ("pageId", "path", "title", "order")} == {
            name: node[name] for name in ("pageId", "path", "title", "order")
        }
        assert page["content"].startswith(f"# {node['title']}\n")
        nodes.extend(node["children"])


@pytest.mark.parametrize(
    "address",
    [
        quote(REPO, safe=""),
        REPO,
        REPO.replace("https://", "https:/"),
        quote(REPO, safe=":"),
        quote(REPO, safe="/"),
        quote("git@git.example.com:acme/engine.git", safe=""),
        "git@git.example.com:acme/engine.git",
        quote("HTTPS://Git.Example.com/acme/engine.git/", safe=""),
    ],
)
def test_the_history_is_found_however_the_address_is_written(
    ada: httpx.Client, address: str
) -> None:
    run = uploaded(ada)

    answer = ada.get(f"{WIKI}/history/{address}")

    assert [each["wikiRunId"] for each in answer.json()["wikiRuns"]] == [run["wikiRunId"]]


@pytest.mark.parametrize("is_encoded", [True, False])
def test_an_address_is_decoded_once(ada: httpx.Client, is_encoded: bool) -> None:
    repo = "https://git.example.com/acme/100%25%20engine"
    run = uploaded(ada, repoUrl=repo)
    uploaded(ada, repoUrl="https://git.example.com/acme/100%2525%20engine")

    address = quote(repo, safe="") if is_encoded else repo
    answer = ada.get(f"{WIKI}/history/{address}")

    assert [each["wikiRunId"] for each in answer.json()["wikiRuns"]] == [run["wikiRunId"]]


def test_the_history_is_paged_newest_first(ada: httpx.Client) -> None:
    ids = [uploaded(ada)["wikiRunId"] for _ in range(3)]
    path = f"{WIKI}/history/{quote(REPO, safe='')}"

    first = ada.get(path, params={"limit": 2}).json()
    last = ada.get(path, params={"cursor": first["pagination"]["nextCursor"]}).json()

    found = [run["wikiRunId"] for run in first["wikiRuns"] + last["wikiRuns"]]
    assert found == sorted(ids, reverse=True)
    assert first["pagination"] == {"hasMore": True, "nextCursor": found[1]}
    assert last["pagination"] == {"hasMore": False, "nextCursor": None}
    assert ada.get(f"{path}-unknown").json()["wikiRuns"] == []


@pytest.mark.parametrize(
    "params", [{"limit": 0}, {"limit": 101}, {"limit": "x"}, {"cursor": "x\0"}, {"cursor": "\n"}]
)
def test_bounds_of_the_history_are_kept(ada: httpx.Client, params: dict[str, Any]) -> None:
    answer = ada.get(f"{WIKI}/history/{quote(REPO, safe='')}", params=params)

    assert answer.status_code == 400


@pytest.mark.parametrize("address", ["nothing", "", "%00", "https%3A%2F%2Fhost", "a/b/c", "%2F"])
def test_what_is_no_address_is_refused(ada: httpx.Client, address: str) -> None:
    assert code(ada.get(f"{WIKI}/history/{address}")) == (400, "invalid_repository_url")


def test_a_page_is_found_by_its_words(ada: httpx.Client) -> None:
    run = uploaded(ada)
    path = f"{WIKI}/{run['wikiRunId']}/search"

    [found] = ada.get(path, params={"q": "pressure"}).json()["results"]

    assert found.pop("pageId").startswith("page_")
    assert found == {
        "title": "Pump",
        "path": "parts/pump",
        "snippet": "Pump It holds the pressure.",
        "matchCount": 1,
    }
    for odd in ("a-b", "foo:bar", "*", "(", "AND", '"', "\0", "x" * 500):
        assert ada.get(path, params={"q": odd}).json() == {"results": []}
    for limit, status in ((1, 200), (30, 200), (31, 400), (0, 400)):
        assert ada.get(path, params={"q": "the", "limit": limit}).status_code == status
    assert ada.get(path).status_code == 400
    assert ada.get(path, params={"q": "x" * 501}).status_code == 400


def test_the_version_is_taken_by_its_other_name_too(ada: httpx.Client) -> None:
    assert uploaded(ada, droidVersion="0.9")["agentVersion"] == "0.9"


def test_privacy_is_changed_by_those_who_may_and_hides_from_others(
    any_server: Server, org: OrgId, ada: httpx.Client
) -> None:
    run_id = uploaded(ada)["wikiRunId"]
    path = f"{WIKI}/{run_id}"
    with a_client(any_server, org, "bob") as bob, a_client(any_server, org, "m", "manager") as m:
        assert bob.get(path).json()["canUpdatePrivacy"] is False
        assert m.get(path).json()["canUpdatePrivacy"] is True
        refused = bob.post(f"{path}/privacy", json={"privacyLevel": "private"})
        hidden = m.post(f"{path}/privacy", json={"privacyLevel": "private"})
        after = [each.get(path) for each in (ada, bob, m)]
        assert bob.get(WIKI).json() == {"wikiRuns": []}

    assert code(refused) == (403, "insufficient_role")
    assert hidden.json()["privacyLevel"] == "private"
    assert [answer.status_code for answer in after] == [200, 404, 404]
    assert ada.post(f"{path}/privacy", json={"privacyLevel": "public"}).status_code == 400


def test_a_deleted_run_is_gone(ada: httpx.Client) -> None:
    path = f"{WIKI}/{uploaded(ada)['wikiRunId']}"

    assert ada.delete(path).json() == {"deleted": True}

    for answer in (
        ada.get(path),
        ada.get(f"{path}/export", headers={"Accept": "application/zip"}),
        ada.get(f"{path}/search", params={"q": "engine"}),
        ada.delete(path),
    ):
        assert code(answer) == (404, "not_found")
        assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("name", ["wiki_none", "history", "a" * 100])
def test_a_run_of_no_such_id_is_404(ada: httpx.Client, name: str) -> None:
    known = uploaded(ada)["wikiRunId"]

    assert code(ada.get(f"{WIKI}/{name}")) == (404, "not_found")
    assert code(ada.get(f"{WIKI}/{known}/pages/{name}")) == (404, "not_found")


@pytest.mark.parametrize("name", ["%00", "%F0%9F%9A%82", "a" * 101, "a%20b"])
def test_a_text_that_is_no_id_is_400(ada: httpx.Client, name: str) -> None:
    assert ada.get(f"{WIKI}/{name}").status_code == 400
    assert ada.get(f"{WIKI}/wiki_none/pages/{name}").status_code == 400


def test_guests_are_refused_and_strangers_unknown(any_server: Server, org: OrgId) -> None:
    with a_client(any_server, org, "g", "guest") as guest, any_server.client() as stranger:
        for path in ("", "/upload-access?repoUrl=x", f"/history/{quote(REPO, safe='')}", "/x"):
            assert guest.get(WIKI + path).status_code == 403
            assert stranger.get(WIKI + path).status_code == 401
        assert guest.post(WIKI, content=b"{", headers=ZIP).status_code == 403


def test_switched_off_every_operation_is_403(
    tmp_path: Path,
) -> None:
    off = {"wiki_enabled": False}
    with running_server(settings_for(tmp_path, "sqlite", **off)) as server:
        org = an_organization(server.services.db)
        with a_client(server, org, "ada", "owner") as ada:
            answers = [
                ada.get(WIKI),
                ada.post(WIKI, json={"repoUrl": REPO, "pages": PAGES}),
                ada.get(f"{WIKI}/upload-access", params={"repoUrl": REPO}),
                ada.get(f"{WIKI}/history/{quote(REPO, safe='')}"),
                ada.get(f"{WIKI}/wiki_none"),
                ada.get(f"{WIKI}/wiki_none/export"),
                ada.delete(f"{WIKI}/wiki_none"),
            ]

    assert {code(answer) for answer in answers} == {(403, "wiki_disabled")}


def test_without_published_spellings_the_version_has_one_name(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, "sqlite", vendor_spellings=False)
    with (
        running_server(settings) as server,
        a_client(server, an_organization(server.services.db), "ada") as ada,
    ):
        run = uploaded(ada, agentVersion="1")

    assert run["agentVersion"] == "1"
    assert "droidVersion" not in run
