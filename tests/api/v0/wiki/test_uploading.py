"""Uploads of wikis: archives and bodies, accepted and refused."""

from __future__ import annotations

import base64
import threading
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from stationmaster.ids import OrgId
from tests.api.v0.wiki.uploads import PAGES, WIKI, ZIP, code, uploaded
from tests.support.servers import Server
from tests.wiki.wikis import FILES, PNG, REPO, zipped


def test_an_uploaded_run_has_every_member_of_the_wire(ada: httpx.Client) -> None:
    run = uploaded(
        ada,
        repoUrl="git@git.example.com:acme/engine.git",
        commitHash="ABCDEF1",
        branch="main",
        hasLocalChanges=True,
        modelUsed={"id": "some-model", "reasoningEffort": "high"},
        agentVersion="1.2.3",
        sourceSessionId="s1",
        privacyLevel="private",
    )

    created = run["createdAt"]
    assert isinstance(created, int)
    assert run == {
        "wikiRunId": run["wikiRunId"],
        "status": "completed",
        "createdAt": created,
        "completedAt": created,
        "createdBy": run["createdBy"],
        "sourceSessionId": "s1",
        "repoUrl": REPO,
        "commitHash": "abcdef1",
        "branch": "main",
        "hasLocalChanges": True,
        "hasNonRemoteCommits": None,
        "modelUsed": {"id": "some-model", "reasoningEffort": "high"},
        "agentVersion": "1.2.3",
        "droidVersion": "1.2.3",
        "privacyLevel": "private",
        "canUpdatePrivacy": True,
        "pageCount": 4,
        "error": None,
    }
    assert ada.get(f"{WIKI}/history/{quote(REPO, safe='')}").json()["wikiRuns"] == [run]
    assert ada.get(WIKI).json() == {"wikiRuns": [run]}


def test_an_export_is_a_file_and_uploads_to_the_same_export(ada: httpx.Client) -> None:
    assets = [{"path": "images/flow.png", "content": base64.b64encode(PNG).decode()}]
    run = uploaded(ada, assets=assets, commitHash="abcdef123456")

    answer = ada.get(f"{WIKI}/{run['wikiRunId']}/export", headers={"Accept": "application/zip"})

    assert answer.headers["content-type"] == "application/zip"
    assert answer.headers["content-length"] == str(len(answer.content))
    name = "acme-engine-wiki-abcdef1.zip"
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    again = ada.post(WIKI, content=answer.content, headers=ZIP)
    assert again.status_code == 201
    kept = set(run) - {"wikiRunId", "createdAt", "completedAt"}
    assert {name: again.json()[name] for name in kept} == {name: run[name] for name in kept}
    exported = ada.get(f"{WIKI}/{again.json()['wikiRunId']}/export")
    assert exported.content == answer.content


def test_an_archive_of_files_alone_is_told_about_in_the_query(ada: httpx.Client) -> None:
    params = {"repoUrl": REPO, "commitHash": "abcdef1", "privacyLevel": "private"}

    run = ada.post(WIKI, content=zipped(FILES), headers=ZIP, params=params).json()

    assert (run["repoUrl"], run["commitHash"], run["privacyLevel"], run["pageCount"]) == (
        REPO,
        "abcdef1",
        "private",
        4,
    )


@pytest.mark.parametrize(
    ("content", "refusal"),
    [
        (zipped({"../a.md": b"# A"}), (400, "invalid_path")),
        (zipped({"a.md": b"# A"})[:-5], (400, "invalid_archive")),
        (zipped({"a.txt": b"A"}), (400, "invalid_archive")),
        (zipped({"a.md": b"A"}), (400, "invalid_page")),
        (zipped({"a.md": bytes(2_000_000)}), (400, "invalid_archive")),
        (zipped({}), (400, "page_count")),
        (b"", (400, "invalid_archive")),
        (bytes(33 * 2**20), (413, "body_too_large")),
    ],
    ids=["path", "cut", "kind", "heading", "bomb", "empty", "nothing", "large"],
)
def test_a_bad_archive_is_refused_and_nothing_stored(
    ada: httpx.Client, content: bytes, refusal: tuple[int, str]
) -> None:
    answer = ada.post(WIKI, content=content, headers=ZIP, params={"repoUrl": REPO})

    assert code(answer) == refusal
    assert ada.get(WIKI).json() == {"wikiRuns": []}


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"pages": PAGES}, "repoUrl: Field required."),
        ({"repoUrl": REPO, "pages": []}, "pages: "),
        ({"repoUrl": REPO, "pages": PAGES * 251}, "pages: "),
        ({"repoUrl": REPO, "pages": PAGES, "colour": 1}, "colour: "),
        ({"repoUrl": REPO, "pages": [{"path": "a"}]}, "pages.0.content: Field required."),
        ({"repoUrl": REPO, "pages": PAGES, "privacyLevel": "public"}, "privacyLevel: "),
        ({"repoUrl": "x", "pages": PAGES}, "This is not a repository address"),
        (
            {"repoUrl": REPO, "pages": [*PAGES, {"path": "b", "content": "\0"}]},
            "The page 'b' contains characters that are not text.",
        ),
        (
            {"repoUrl": REPO, "pages": PAGES, "assets": [{"path": "a.png", "content": "%"}]},
            "The image 'a.png' is not base64.",
        ),
    ],
)  # fmt: skip
def test_a_bad_body_is_refused_with_what_is_wrong(
    ada: httpx.Client, body: dict[str, Any], detail: str
) -> None:
    answer = ada.post(WIKI, json=body)

    assert answer.status_code == 400
    assert answer.json()["detail"].startswith(detail)
    assert ada.get(WIKI).json() == {"wikiRuns": []}


@pytest.mark.parametrize("text", [b"{", b"", b'{"repoUrl": "\\ud800"}', b"\xff", b"[" * 10_000])
def test_what_is_no_json_is_refused(ada: httpx.Client, text: bytes) -> None:
    answer = ada.post(WIKI, content=text, headers={"Content-Type": "application/json"})

    assert code(answer) == (400, "malformed_body")


@pytest.mark.parametrize("media", ["text/markdown", "", "application/x-tar"])
def test_another_media_type_is_415(ada: httpx.Client, media: str) -> None:
    answer = ada.post(WIKI, content=b"# A", headers={"Content-Type": media})

    assert code(answer) == (415, "unsupported_media_type")


def test_upload_access_is_told_for_any_repository(ada: httpx.Client) -> None:
    answer = ada.get(f"{WIKI}/upload-access", params={"repoUrl": REPO})

    assert answer.json() == {"allowed": True}
    assert ada.get(f"{WIKI}/upload-access").status_code == 400
    bad = ada.get(f"{WIKI}/upload-access", params={"repoUrl": "nowhere"})
    assert code(bad) == (400, "invalid_repository_url")


def test_uploads_at_once_are_all_kept(any_server: Server, org: OrgId, ada: httpx.Client) -> None:
    start = threading.Barrier(4)

    def upload() -> None:
        start.wait()
        uploaded(ada)

    threads = [threading.Thread(target=upload) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(ada.get(f"{WIKI}/history/{quote(REPO, safe='')}").json()["wikiRuns"]) == 4
