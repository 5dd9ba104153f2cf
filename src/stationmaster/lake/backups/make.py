"""Taking a backup while everything runs.

Both databases are copied at one moment, and the lake after it. So whatever was acknowledged before
is in the copy: as a row of the inbox, or counted in the state, and then its part was in the lake
already. What another process was moving at that moment is moved again after a restore, under the
same batch id, which the state knows or does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from stationmaster import clock
from stationmaster.db import copying, moments
from stationmaster.db.engine import Database
from stationmaster.db.migrations import create_inbox
from stationmaster.errors import Conflict, OperatorError
from stationmaster.lake import entries, horizon, inbox as inboxes
from stationmaster.lake.backups import archive, parts, relocate
from stationmaster.lake.storage import Lake
from stationmaster.settings import Settings

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
    reindex: relocate.Reindex,
    tell: copying.Tell,
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
        _save_databases(settings, state, own, reindex, tell)
        key = settings.data_dir / archive.SECRET_KEY
        if with_key and settings.secret_key is None and key.exists():
            own.append(archive.copy_key(settings.data_dir, folder))
        tell("the lake")
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
        archive.make_folder(folder.resolve())
        archive.write(folder, manifest)
    return manifest


def _save_databases(
    settings: Settings,
    state: Database,
    paths: list[Path],
    reindex: relocate.Reindex,
    tell: copying.Tell,
) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
    if state.dialect == "postgresql":
        _copy_databases(state, paths, reindex, tell)
    else:
        with (
            closing(inboxes.open_database(settings)) as inbox,
            moments.one_moment([state, inbox]) as views,
        ):
            for view, path in zip(views, paths, strict=True):
                tell(path.name)
                moments.save(view, path)
    for path in paths:
        moments.close_file(path)


def _copy_databases(
    state: Database, paths: list[Path], reindex: relocate.Reindex, tell: copying.Tell
) -> None:
    kept, waiting = (Database.open(f"sqlite:///{path}") for path in paths)
    with closing(kept), closing(waiting), state.reading() as view:
        copying.check_revision(view)
        kept.migrate()
        with waiting.transaction() as connection:
            create_inbox(connection)
        copying.copy(view, kept, copying.STATE, tell)
        copying.copy(view, waiting, copying.INBOX, tell)
        reindex(kept)


def _tidy(folder: Path, manifest: archive.BackupManifest) -> None:
    """Remove what only earlier backups consist of; files of other people stay."""
    for path in [leftover for pattern in _OURS for leftover in folder.glob(pattern)]:
        if path.relative_to(folder).as_posix() not in manifest.files:
            path.unlink(missing_ok=True)
