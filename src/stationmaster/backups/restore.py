"""A backup into a new data folder, and into PostgreSQL where the settings name one."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import msgspec

from stationmaster.backups import archive, parts
from stationmaster.backups.archive import Manifest
from stationmaster.backups.relocate import Reindex, relocate
from stationmaster.db.copying import Tell
from stationmaster.db.engine import Database
from stationmaster.lake.storage import Lake
from stationmaster.settings import Settings


def restore(folder: Path, settings: Settings, *, reindex: Reindex, tell: Tell) -> Manifest:
    """Put a backup into a data folder that holds nothing, or what an attempt before has left.

    Whatever kind of database the backup was copied from, it is brought to this version's schema
    and to the kind that the settings name. Raises BadRequest where there is no backup, Conflict
    for a PostgreSQL that holds other data, OperatorError that names the files which are damaged;
    nothing is written before all of them are known to be whole.
    """
    tell("comparing the files of the backup")
    manifest = archive.verified(folder)
    local = msgspec.structs.replace(settings, database_url=None)
    files = [Path(url.removeprefix("sqlite:///")) for url in (local.state_url, local.inbox_url)]
    for path in files:
        _clear(path)
    tell("the lake")
    parts.restore(folder, manifest.files, Lake.open(settings))
    for source, target in zip((manifest.state, manifest.inbox), files, strict=True):
        tell(target.name)
        shutil.copyfile(folder / source, target)
        archive.sync(target)
    if archive.SECRET_KEY in manifest.files:
        archive.copy_key(folder, settings.data_dir)
    if settings.database_url is None:
        with closing(Database.open(local.state_url)) as state:
            state.migrate()
    else:
        relocate(local, settings.database_url, reindex=reindex, tell=tell)
        for path in files:
            _clear(path)
    return manifest


def _clear(path: Path) -> None:
    """Remove a SQLite file and those beside it."""
    for each in path.parent.glob(f"{path.name}*"):
        each.unlink()
