from __future__ import annotations

import json
from typing import Any

import pytest

from stationmaster.errors import BadRequest
from stationmaster.wiki.model import Origin, Upload, UploadedAsset, UploadedPage
from stationmaster.wiki.transfer import layout
from tests.wiki.wikis import FILES, PNG, REPO, zipped


def read(files: dict[str, bytes], **given: Any) -> Upload:
    return layout.read(zipped(files), {"repo_url": REPO, **given}, "organization")


def manifest(**members: Any) -> bytes:
    return json.dumps(members).encode()


def refusal(files: dict[str, bytes], **given: Any) -> BadRequest:
    with pytest.raises(BadRequest) as refused:
        read(files, **given)
    return refused.value


def test_pages_and_images_are_told_apart_by_their_endings() -> None:
    upload = read(FILES)

    assert [page.file for page in upload.pages] == [n for n in FILES if n.endswith(".md")]
    assert upload.assets == [UploadedAsset("images/flow.png", PNG)]


def test_the_manifest_lists_pages_in_order_and_others_follow_by_path() -> None:
    files = {"z.md": b"# Z", "b.md": b"# B", "index.md": b"# A"}

    upload = read(files | {"wiki.json": manifest(pages=["z.md"])})

    assert sorted(upload.pages, key=lambda page: page.order or 0) == [
        UploadedPage("z.md", "# Z", order=0),
        UploadedPage("index.md", "# A", order=1),
        UploadedPage("b.md", "# B", order=2),
    ]


def test_what_a_folder_of_a_generated_wiki_has_for_programs_is_accepted_and_not_stored() -> None:
    upload = read({**FILES, "llms.txt": b"# Engine", "llms-full.txt": b"# Engine"})

    assert upload == read(FILES)


def test_what_is_given_wins_over_the_manifest() -> None:
    told = manifest(repoUrl="https://a/b", commitHash="1234567", branch="main")

    upload = layout.read(
        zipped({"a.md": b"# A", "wiki.json": told}),
        {"repo_url": None, "commit_hash": "7654321"},
        "private",
    )

    assert upload.origin == Origin(repo_url="https://a/b", commit_hash="7654321", branch="main")
    assert upload.privacy_level == "private"


@pytest.mark.parametrize(
    ("files", "code", "told"),
    [
        ({"a.md": b"# A", "b.txt": b"x"}, "invalid_archive", "'b.txt'"),
        ({"a.md": b"# A", "b.svg": b"<svg/>"}, "invalid_archive", "'b.svg'"),
        ({"a.md": b"\xff\xfe"}, "invalid_page", "'a.md' is not UTF-8"),
        ({"wiki.json": b"{"}, "invalid_manifest", "wiki.json"),
        ({"wiki.json": b"[" * 100_000}, "invalid_manifest", "wiki.json"),
        ({"wiki.json": manifest(format=2)}, "invalid_manifest", "format 2"),
        ({"wiki.json": manifest(colour="red")}, "invalid_manifest", "colour"),
        ({"wiki.json": manifest(pages=["a.md"])}, "invalid_manifest", "'a.md', which is not there"),
        ({"wiki.json": manifest(pages=["../a.md"])}, "invalid_path", "'../a.md'"),
        ({"a.md": b"#" * (500 * 1024 + 1)}, "invalid_archive", "'a.md' of more than"),
    ],
    ids=str,
)
def test_an_archive_that_is_no_wiki_is_refused_with_the_name(
    files: dict[str, bytes], code: str, told: str
) -> None:
    refused = refusal(files)

    assert refused.code == code
    assert told in refused.detail


def test_an_archive_of_no_repository_is_refused() -> None:
    assert refusal({"a.md": b"# A"}, repo_url=None).code == "missing_repository"


@pytest.mark.parametrize(
    ("url", "commit", "name"),
    [
        (REPO, "abcdef1234567890", "acme-engine-wiki-abcdef1.zip"),
        (REPO, None, "acme-engine-wiki.zip"),
        ("https://h/one", None, "one-wiki.zip"),
        ("https://h/%22;%0D/..%2F", None, "22-0D-..-2F-wiki.zip"),
    ],
)
def test_an_archive_is_named_after_repository_and_short_commit(
    url: str, commit: str | None, name: str
) -> None:
    assert layout.archive_name(Origin(repo_url=url, commit_hash=commit)) == name
