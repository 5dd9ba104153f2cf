"""A wiki that lies in a folder of this machine."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from stationmaster.errors import BadRequest
from stationmaster.repos.reading import Snapshot
from stationmaster.wiki import citations, generated, images, layout, markdown, model
from stationmaster.wiki.archives import Entry
from stationmaster.wiki.checks import links, metrics
from stationmaster.wiki.checks.commit import line_counts
from stationmaster.wiki.checks.links import Report
from stationmaster.wiki.checks.metrics import Metric, Wiki
from stationmaster.wiki.gathering import gather
from stationmaster.wiki.layout import Manifest
from stationmaster.wiki.memo import Nothing
from stationmaster.wiki.names import checked
from stationmaster.wiki.pages import catalogue
from stationmaster.wiki.text.inline import Place


class Page(NamedTuple):
    """A page as outputs take it; `description` is Markdown."""

    key: str
    title: str
    description: str
    body: str


class Folder(NamedTuple):
    """Texts of pages by file, the files of images, and what `wiki.json` says, if there is one."""

    pages: dict[str, str]
    assets: list[str]
    manifest: Manifest


def entries(folder: Path) -> Iterator[Entry]:
    """The files of a folder by path, hidden ones left out.

    Raises BadRequest for links, names that no wiki may have, and too much content.
    """
    total = 0
    for place, folders, files, handle in os.fwalk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        visible = sorted(name for name in files if not name.startswith("."))
        for name in [*folders, *visible]:
            path = checked(Path(place, name).relative_to(folder).as_posix())
            kind = os.stat(name, dir_fd=handle, follow_symlinks=False)
            if stat.S_ISDIR(kind.st_mode):
                continue
            total += kind.st_size
            if not stat.S_ISREG(kind.st_mode):
                raise BadRequest(f"{path} is no plain file, but a link or a device", code="link")
            if total > model.CONTENT_BYTES_MAX:
                raise BadRequest(
                    f"{folder} holds more than {model.CONTENT_BYTES_MAX} bytes", code="too_large"
                )
            # Not followed even if it became a link just now.
            opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=handle)
            with os.fdopen(opened, "rb") as file:
                yield Entry(path, file.read(kind.st_size))


def read(folder: Path) -> Folder:
    """All pages and images. Other files are no part of a wiki. Raises BadRequest."""
    pages: dict[str, str] = {}
    assets: list[str] = []
    manifest = Manifest()
    for path, content in entries(folder):
        if path.lower().endswith(".md"):
            pages[path] = content.decode(errors="replace")
        elif path == layout.MANIFEST:
            manifest = layout.manifest_of(content)
        elif images.ending_of(path) is not None:
            assets.append(path)
    return Folder(pages, assets, manifest)


def measure(found: Folder, report: Report, snapshot: Snapshot) -> list[Metric]:
    """How good a wiki of a commit is."""
    told = found.manifest
    host = citations.host(told.repo_url, told.commit_hash or "")
    facts = gather(snapshot, generated.commit_of(snapshot, told.repo_url), Nothing())
    catalogue.plan(facts)

    def cited(address: str) -> Place | None:
        return links.source(address) or (None if host is None else host.cited(address))

    return metrics.measure(Wiki(found.pages, report, facts, facts.tree.text, cited))


def laid_out(archive: bytes, kind: str) -> dict[str, bytes]:
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
    return {**generated.laid_out(pages, manifest, kind), **images}


def _description(content: str) -> str:
    """The paragraph below the title, if there is one."""
    paragraphs = content.split("\n\n", 2)[1:2]
    return next((each for each in paragraphs if each[:1] not in "#|-<>`*"), "")


def check(found: Folder, snapshot: Snapshot | None) -> Report:
    """Verify its links, and its citations where there is a commit to compare them with."""
    told = found.manifest
    host = citations.host(told.repo_url, told.commit_hash or "")
    return links.check(
        found.pages,
        found.assets,
        cited=lambda address: None if host is None else host.cited(address),
        lines_of=None if snapshot is None else line_counts(snapshot),
    )
