"""A backup into a new data folder, and into PostgreSQL where the settings name one."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import msgspec

from stationmaster.access.signing_in.signing_keys import fits
from stationmaster.access.vault import Vault
from stationmaster.db.copying import Tell
from stationmaster.db.engine import Database
from stationmaster.errors import OperatorError
from stationmaster.lake.backups import archive, parts
from stationmaster.lake.backups.relocate import Reindex, relocate
from stationmaster.lake.storage import Lake
from stationmaster.settings import Settings


def restore(
    folder: Path, settings: Settings, *, reindex: Reindex, tell: Tell
) -> archive.BackupManifest:
    """Put a backup into a data folder that holds nothing, or what an attempt before has left.

    Whatever kind of database the backup was copied from, it is brought to this version's schema
    and to the kind that the settings name. Raises BadRequest where there is no backup, Conflict
    for a PostgreSQL that holds other data, OperatorError that names the files which are damaged, or
    the secret key that does not open the backup; nothing is written before all that is known.
    """
    tell("comparing the files of the backup")
    manifest = archive.verified(folder)
    _check_key(folder, manifest, settings)
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


def _check_key(folder: Path, manifest: archive.BackupManifest, settings: Settings) -> None:
    """Raise OperatorError where the restored installation could not open its own secrets."""
    if settings.secret_key is None and archive.SECRET_KEY not in manifest.files:
        return
    vault = Vault.open(msgspec.structs.replace(settings, data_dir=folder))
    if not fits(vault, folder / manifest.state):
        of = (
            f"the file {archive.SECRET_KEY} in the backup"
            if settings.secret_key is None
            else "STATIONMASTER_SECRET_KEY"
        )
        raise OperatorError(
            f"The secret key, {of}, does not open what this backup keeps sealed. Set "
            "STATIONMASTER_SECRET_KEY to the key of the installation that was backed up.",
            code="secret_key",
        )


def _clear(path: Path) -> None:
    """Remove a SQLite file and those beside it."""
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()
