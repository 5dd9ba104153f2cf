"""Taking a backup while everything runs, restoring one, and moving an installation to PostgreSQL.

Both databases are copied at one moment, and the lake after it. So whatever was acknowledged before
is in the copy: as a row of the inbox, or counted in the state, and then its part was in the lake
already. What another process was moving at that moment is moved again after a restore, under the
same batch id, which the state knows or does not.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
from sqlalchemy import update

from stationmaster import clock
from stationmaster.access import operator
from stationmaster.access.signing_in.signing_keys import fits
from stationmaster.access.vault import Vault
from stationmaster.db import copying, moments
from stationmaster.db.copying import Report
from stationmaster.db.engine import Database
from stationmaster.db.migrations import create_inbox
from stationmaster.db.tables.schema import schema_use
from stationmaster.errors import BadRequest, Conflict, OperatorError
from stationmaster.lake import entries, horizon, inbox as inboxes
from stationmaster.lake.backups import archive, parts
from stationmaster.lake.storage import Lake, make_folder, sync
from stationmaster.settings import Settings

Reindex = Callable[[Database], None]
"""Rebuilds the search of the wiki, which each kind of database has in a form of its own."""

_OURS = (
    "state-*.sqlite3*",
    "inbox-*.sqlite3*",
    archive.SECRET_KEY,
    "lake/org=*/day=*/part-*",
    ".parts-*/*",
)
"""What backups write, leftovers of those that were killed included."""


def make(
    settings: Settings,
    folder: Path,
    *,
    with_key: bool,
    reindex: Reindex,
    report: Report,
) -> archive.BackupManifest:
    """Take a backup into a new folder, or the next one into the folder of an earlier backup.

    A backup that is killed leaves the one before as it was. Raises BadRequest for a folder with
    other things, Conflict while another backup is taken, OperatorError for a store that has moved,
    and, once the backup is complete, where the lake has lost parts.
    """
    with closing(Database.open(settings.state_url)) as state, _alone(state):
        state.migrate()
        before = _begin(folder)
        manifest = archive.BackupManifest(made_at=max(clock.now_ms(), before.made_at + 1))
        # Before the databases are copied: what is entered now is in the lake until we are done.
        entered = entries.hashes(state, with_faulty=True)
        own = [folder / manifest.state, folder / manifest.inbox]
        _save_databases(settings, state, own, reindex, report)
        key = settings.data_dir / archive.SECRET_KEY
        if with_key and settings.secret_key is None and key.exists():
            own.append(archive.copy_key(settings.data_dir, folder))
        report("the lake")
        files = parts.save(Lake.open(settings), folder, before.files)
        lost = parts.complete(files, before.files, folder, entered)
        files |= {path.name: archive.file_of(path) for path in own}
        manifest = msgspec.structs.replace(manifest, files=files)
        archive.write(folder, manifest)
        _tidy(folder, manifest)
    if lost:
        raise OperatorError(
            f"The backup is complete, but {len(lost)} part files were missing or changed in the "
            f"lake already: {', '.join(lost[: archive.FAULTS_NAMED])}. Look for them in earlier "
            "backups; stationmaster doctor checks them.",
            code="damaged_parts",
        )
    return manifest


@contextmanager
def _alone(state: Database) -> Iterator[None]:
    """One backup at a time, and no part erased that it counts on."""
    with state.alone("backup", wait=False) as is_alone:
        if not is_alone:
            raise Conflict("Another backup of this installation is being taken.", code="busy")
        with state.alone(horizon.ERASING):
            yield


def _begin(folder: Path) -> archive.BackupManifest:
    """What is in the folder, which is marked as a backup's from now on."""
    manifest = archive.find(folder)
    if manifest is None:
        manifest = archive.BackupManifest(made_at=0)
        make_folder(folder.resolve(), 0o700)
        archive.write(folder, manifest)
    return manifest


def _save_databases(
    settings: Settings,
    state: Database,
    paths: list[Path],
    reindex: Reindex,
    report: Report,
) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
    if state.dialect == "postgresql":
        _copy_databases(state, paths, reindex, report)
    else:
        with (
            closing(inboxes.open_database(settings)) as inbox,
            moments.one_moment([state, inbox]) as views,
        ):
            for view, path in zip(views, paths, strict=True):
                report(path.name)
                moments.save(view, path)
    for path in paths:
        moments.close_file(path)


def _copy_databases(state: Database, paths: list[Path], reindex: Reindex, report: Report) -> None:
    kept, waiting = (Database.open(f"sqlite:///{path}") for path in paths)
    with closing(kept), closing(waiting), state.reading() as view:
        copying.check_revision(view)
        kept.migrate()
        with waiting.transaction() as connection:
            create_inbox(connection)
        copying.copy(view, kept, copying.STATE, report)
        copying.copy(view, waiting, copying.INBOX, report)
        reindex(kept)


def _tidy(folder: Path, manifest: archive.BackupManifest) -> None:
    """Remove what only earlier backups consist of; files of other people stay."""
    for path in [leftover for pattern in _OURS for leftover in folder.glob(pattern)]:
        if path.relative_to(folder).as_posix() not in manifest.files:
            path.unlink(missing_ok=True)


def relocate_installation(
    settings: Settings, to: str, *, lake: Lake | None = None, reindex: Reindex, report: Report
) -> list[copying.CopiedTable]:
    """Copy the SQLite store of a data folder to a PostgreSQL URL, and its parts to another lake if
    one is given; every table, compared.

    Meanwhile senders are refused and repeat, and readers are answered. In the end the store refuses
    writers permanently. It is not changed before; killed at any point, the next call continues.

    Raises BadRequest for a URL or a store of the wrong kind, Conflict where the target holds other
    data or the store has moved already, OperatorError when the copy differs.
    """
    with (
        closing(Database.open(to)) as target,
        closing(Database.open(settings.state_url)) as state,
        closing(inboxes.open_database(settings)) as inbox,
    ):
        if target.dialect != "postgresql" or state.dialect != "sqlite":
            raise BadRequest(
                "A store moves from SQLite to PostgreSQL: leave STATIONMASTER_DATABASE_URL unset "
                "and set --to postgresql://USER@HOST/DATABASE.",
                code="bad_database_url",
            )
        with state.reading() as connection:
            has_moved = copying.refusal(connection) == copying.MOVED
        if not has_moved:
            state.migrate()
        # The write locks of both files, from the first row to the seal.
        with inbox.transaction() as waiting, state.transaction() as kept:
            copying.check_revision(kept)
            # What distinguishes one installation from another: its oldest organization.
            oldest = next((org.org_id for org in operator.tenants(state)), "an empty installation")
            copying.begin(target, oldest, has_moved=has_moved)
            copied = copying.copy(kept, target, copying.STATE, report)
            copied += copying.copy(waiting, target, copying.INBOX, report)
            if lake is not None:
                report("the lake")
                _move_parts(settings, state, lake)
            report("the search of the wiki")
            reindex(target)
            copying.seal(waiting, copying.INBOX)
            copying.seal(kept, copying.STATE)
            kept.execute(update(schema_use).values(refusal=copying.MOVED))
        copying.finish(target)
    return copied


def _move_parts(settings: Settings, state: Database, lake: Lake) -> None:
    entered = entries.hashes(state, with_faulty=False)
    parts.move(Lake.open(settings), lake, settings.scratch_dir, entered)


def restore_files(
    folder: Path, settings: Settings, *, reindex: Reindex, report: Report
) -> archive.BackupManifest:
    """Put a backup into a data folder that holds nothing, or what an attempt before has left.

    Whatever kind of database the backup was copied from, it is brought to this version's schema
    and to the kind that the settings name. Raises BadRequest where there is no backup, Conflict
    for a PostgreSQL that holds other data, OperatorError that names the files which are damaged, or
    the secret key that does not open the backup; nothing is written before all that is known.
    """
    report("comparing the files of the backup")
    manifest = archive.verified(folder)
    _check_key(folder, manifest, settings)
    local = msgspec.structs.replace(settings, database_url=None)
    files = [Path(url.removeprefix("sqlite:///")) for url in (local.state_url, local.inbox_url)]
    for path in files:
        _clear(path)
    report("the lake")
    parts.restore(folder, manifest.files, Lake.open(settings))
    for source, target in zip((manifest.state, manifest.inbox), files, strict=True):
        report(target.name)
        shutil.copyfile(folder / source, target)
        sync(target)
    if archive.SECRET_KEY in manifest.files:
        archive.copy_key(folder, settings.data_dir)
    if settings.database_url is None:
        with closing(Database.open(local.state_url)) as state:
            state.migrate()
    else:
        relocate_installation(local, settings.database_url, reindex=reindex, report=report)
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
            f"The secret key, {of}, cannot decrypt the secrets of this backup. Set "
            "STATIONMASTER_SECRET_KEY to the key of the installation that was backed up.",
            code="secret_key",
        )


def _clear(path: Path) -> None:
    """Remove a SQLite file and those next to it."""
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()
