"""The files of a folder on this machine, as entries of a wiki."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from stationmaster.errors import BadRequest
from stationmaster.wiki import model
from stationmaster.wiki.transfer.archives import Entry
from stationmaster.wiki.transfer.names import checked


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
