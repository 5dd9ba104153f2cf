"""A wiki in a folder of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from stationmaster.repos.reading import Snapshot
from stationmaster.wiki import citations
from stationmaster.wiki.checks import links
from stationmaster.wiki.checks.lines import line_counts
from stationmaster.wiki.checks.links import Report
from stationmaster.wiki.transfer import images, layout
from stationmaster.wiki.transfer.layout import Manifest
from stationmaster.wiki.transfer.plain_files import entries


class Folder(NamedTuple):
    """Texts of pages by file, the files of images, and the content of `wiki.json`, if any."""

    pages: dict[str, str]
    assets: list[str]
    manifest: Manifest


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


def check(folder: Folder, snapshot: Snapshot | None) -> Report:
    """Verify its links, and its citations where there is a commit to compare them with."""
    manifest = folder.manifest
    host = citations.host(manifest.repo_url, manifest.commit_hash or "")
    return links.check(
        folder.pages,
        folder.assets,
        cited=lambda address: None if host is None else host.cited(address),
        lines_of=None if snapshot is None else line_counts(snapshot),
    )
