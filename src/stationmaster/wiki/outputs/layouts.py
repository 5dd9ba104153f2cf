"""The layouts of a wiki in a folder: plain pages, or the wiki of a GitHub repository."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from stationmaster.wiki import citations, markdown
from stationmaster.wiki.citations import Host
from stationmaster.wiki.making.written import Written
from stationmaster.wiki.outputs import github_wiki, llms
from stationmaster.wiki.outputs.pages import encoded
from stationmaster.wiki.transfer import layout
from stationmaster.wiki.transfer.layout import Manifest


def files(pages: Sequence[Written], manifest: Manifest, kind: str) -> dict[str, bytes]:
    """Contents by name, without images; `kind` is `pages`, or `github` for the wiki of a GitHub
    repository."""
    commit = manifest.commit_hash or ""
    host = citations.host(manifest.repo_url, commit)
    if kind == "github":
        return github_wiki.files(pages, host, github_wiki.About(commit))
    return {**plain(pages, host), layout.MANIFEST: layout.encoded(manifest)}


def plain(pages: Sequence[Written], host: Host | None) -> dict[str, bytes]:
    """Pages at their keys, in the order of reading and with relative links, and the index for
    programs: what any viewer shows."""
    texts = {f"{page.key}.md": citations.expand(page.body, host) for page in pages}
    return encoded({**texts, llms.NAME: llms.text(pages)})


def of_export(archive: bytes, kind: str) -> dict[str, bytes]:
    """The files of an export in another layout: `pages`, or `github`. Raises BadRequest."""
    # An export of this server names its repository; one of a folder need not.
    upload = layout.read(archive, {}, "organization")
    ordered = sorted(upload.pages, key=lambda page: page.order or 0)
    pages = [
        Written(page.file.removesuffix(".md"), markdown.title_of(page.content) or page.file,
             _description(page.content), page.content)
        for page in ordered
    ]  # fmt: skip
    manifest = Manifest(
        **msgspec.structs.asdict(upload.origin), pages=[page.file for page in ordered]
    )
    images = {asset.file: asset.content for asset in upload.assets}
    return {**files(pages, manifest, kind), **images}


def _description(content: str) -> str:
    """The paragraph below the title, if there is one."""
    paragraphs = content.split("\n\n", 2)[1:2]
    return next((paragraph for paragraph in paragraphs if paragraph[:1] not in "#|-<>`*"), "")
