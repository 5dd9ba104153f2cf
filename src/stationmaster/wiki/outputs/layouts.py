"""The layouts in which a wiki lies in a folder: plain pages, or the wiki of a GitHub repository."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from stationmaster.wiki import citations, markdown
from stationmaster.wiki.outputs import folder, github_wiki
from stationmaster.wiki.outputs.pages import Stored
from stationmaster.wiki.transfer import layout
from stationmaster.wiki.transfer.layout import Manifest


class Page(NamedTuple):
    """A page as outputs take it; `description` is Markdown."""

    key: str
    title: str
    description: str
    body: str


def files(pages: Sequence[Stored], told: Manifest, kind: str) -> dict[str, bytes]:
    """Contents by name, without images; `kind` is `pages`, or `github` for the wiki of a GitHub
    repository."""
    commit = told.commit_hash or ""
    host = citations.host(told.repo_url, commit)
    if kind == "github":
        return github_wiki.files(pages, host, github_wiki.About(commit))
    return {**folder.files(pages, host), layout.MANIFEST: layout.encoded(told)}


def of_export(archive: bytes, kind: str) -> dict[str, bytes]:
    """The files of an export in another layout: `pages`, or `github`. Raises BadRequest."""
    # An export of this server names its repository; one of a folder need not.
    told = layout.read(archive, {}, "organization")
    ordered = sorted(told.pages, key=lambda page: page.order or 0)
    pages = [
        Page(page.file.removesuffix(".md"), markdown.title_of(page.content) or page.file,
             _description(page.content), page.content)
        for page in ordered
    ]  # fmt: skip
    manifest = Manifest(
        **msgspec.structs.asdict(told.origin), pages=[page.file for page in ordered]
    )
    images = {asset.file: asset.content for asset in told.assets}
    return {**files(pages, manifest, kind), **images}


def _description(content: str) -> str:
    """The paragraph below the title, if there is one."""
    paragraphs = content.split("\n\n", 2)[1:2]
    return next((paragraph for paragraph in paragraphs if paragraph[:1] not in "#|-<>`*"), "")
