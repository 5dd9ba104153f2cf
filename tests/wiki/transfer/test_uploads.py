from __future__ import annotations

from typing import Any

import pytest

from stationmaster.errors import BadRequest
from stationmaster.wiki import model
from stationmaster.wiki.model import Origin, Upload, UploadedPage
from stationmaster.wiki.transfer import uploads
from tests.wiki.wikis import PNG, REPO, an_upload


def refusal(upload: Upload) -> BadRequest:
    with pytest.raises(BadRequest) as refused:
        uploads.check(upload)
    return refused.value


def one(page: UploadedPage) -> Upload:
    return Upload(origin=Origin(repo_url=REPO), pages=[page])


def test_a_page_has_the_title_of_its_heading_and_its_place_as_order() -> None:
    checked = uploads.check(an_upload({"b.md": "# Second\n", "a/index.md": "\ufeff# First\n"}))

    assert [(p.path, p.title, p.order, p.is_index) for p in checked.pages] == [
        ("b", "Second", 0, False),
        ("a", "First", 1, True),
    ]
    assert checked.bodies[checked.pages[1].digest] == b"# First\n"


def test_a_page_without_a_heading_gets_its_title_as_one() -> None:
    checked = uploads.check(one(UploadedPage("a.md", "Text.\n", title="  The \n engine ")))

    assert checked.pages[0].title == "The engine"
    assert checked.bodies[checked.pages[0].digest] == b"# The engine\n\nText.\n"


def test_a_heading_wins_over_a_title() -> None:
    checked = uploads.check(one(UploadedPage("a.md", "# Engine\n", title="Motor")))

    assert checked.pages[0].title == "Engine"


def test_the_origin_has_one_form() -> None:
    upload = an_upload(repo_url="git@Git.Example.com:acme/engine.git", commit_hash="ABCDEF1")

    origin = uploads.check(upload).origin

    assert (origin.repo_url, origin.commit_hash) == (REPO, "abcdef1")


@pytest.mark.parametrize(
    ("pages", "code", "told"),
    [
        ({}, "page_count", "1 to 1000 pages"),
        ({f"p{i}.md": "# P" for i in range(1_001)}, "page_count", "1 to 1000 pages"),
        ({"a.md": "No heading."}, "invalid_page", "'a.md' does not start with"),
        ({"a.md": "# A\0"}, "invalid_page", "'a.md' contains"),
        ({"a.md": "# A\ud800"}, "invalid_page", "'a.md' contains"),
        ({"a.md": "# A\n" + "x" * model.PAGE_BYTES_MAX}, "invalid_page", "'a.md' is larger"),
        ({"../a.md": "# A"}, "invalid_path", "'../a.md' leaves"),
        ({"A.md": "# A", "a.md": "# A"}, "invalid_path", "'a.md' occurs twice"),
        ({"a.md": "# A", "a/index.md": "# A"}, "invalid_path", "'a' occurs twice"),
    ],
    ids=str,
)
def test_pages_that_cannot_be_are_refused_by_name(
    pages: dict[str, str], code: str, told: str
) -> None:
    refused = refusal(an_upload(pages))

    assert refused.code == code
    assert told in refused.detail


@pytest.mark.parametrize("title", ["", "  ", "\u202e", "``"])
def test_a_title_of_nothing_is_none(title: str) -> None:
    assert refusal(one(UploadedPage("a.md", "Text.", title=title))).code == "invalid_page"


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("a.png", PNG),
        ("a.JPG", b"\xff\xd8\xff\xe0rest"),
        ("a.jpeg", b"\xff\xd8\xff\xe0rest"),
        ("a.gif", b"GIF89arest"),
        ("a.webp", b"RIFF0000WEBPrest"),
    ],
)
def test_images_are_taken_by_their_first_bytes(file: str, content: bytes) -> None:
    [asset] = uploads.check(an_upload(assets={file: content})).assets

    assert asset.media_type.startswith("image/")


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("a.svg", b"<svg onload='x()'/>"),
        ("a.png", b"<svg onload='x()'/>"),
        ("a.png", b"GIF89a"),
        ("a.txt", PNG),
        ("a.png", b""),
        ("a.png", PNG + bytes(model.ASSET_BYTES_MAX)),
    ],
    ids=["svg", "svg as png", "gif as png", "png as txt", "empty", "large"],
)
def test_images_of_other_kinds_sizes_and_names_are_refused(file: str, content: bytes) -> None:
    assert refusal(an_upload(assets={file: content})).code == "invalid_asset"


def test_more_images_than_allowed_are_refused() -> None:
    many = {f"{i}.png": PNG for i in range(model.ASSETS_MAX + 1)}

    assert refusal(an_upload(assets=many)).code == "asset_count"


def test_more_content_than_allowed_is_refused() -> None:
    large = {f"{i}.png": PNG + bytes([i]) + bytes(model.ASSET_BYTES_MAX - 40) for i in range(11)}

    assert refusal(an_upload(assets=large)).code == "wiki_too_large"


def test_an_image_may_not_hide_a_page() -> None:
    assert refusal(an_upload({"a.png/b": "# A"}, {"a.png": PNG})).code == "invalid_path"


@pytest.mark.parametrize(
    ("told", "code"),
    [
        ({"repo_url": "nowhere"}, "invalid_repository_url"),
        ({"commit_hash": "HEAD"}, "invalid_commit"),
        ({"commit_hash": "abc"}, "invalid_commit"),
        ({"branch": "a\0b"}, "invalid_origin"),
        ({"model_id": "x" * 256}, "invalid_origin"),
        ({"agent_version": "\ud800"}, "invalid_origin"),
    ],
)
def test_an_origin_that_cannot_be_is_refused(told: dict[str, Any], code: str) -> None:
    assert refusal(an_upload(**told)).code == code
