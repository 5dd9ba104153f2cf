"""A wiki that lies in a folder of this machine."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from stationmaster.errors import BadRequest
from stationmaster.repos.reading import Snapshot
from stationmaster.wiki import citations, images, layout, model
from stationmaster.wiki.archives import Entry
from stationmaster.wiki.checks import links
from stationmaster.wiki.checks.commit import line_counts
from stationmaster.wiki.checks.links import Report
from stationmaster.wiki.layout import Manifest
from stationmaster.wiki.names import checked


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
