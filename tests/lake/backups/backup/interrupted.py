"""A process that is killed in the middle of a backup."""

from __future__ import annotations

from stationmaster.lake.backups import archive

MANIFEST = archive.MANIFEST


class Killed(BaseException):
    pass
