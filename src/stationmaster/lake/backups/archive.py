"""What a backup looks like: a folder with a manifest that names every file of it.

    stationmaster-backup.json   written last, so that what it names is whole
    state-….sqlite3             the state database, whatever kind it was copied from
    inbox-….sqlite3             what was accepted and not yet in the lake
    secret.key                  what stored secrets are sealed with, unless it was left out
    lake/org=…/day=…/part-*.parquet

Files are never changed: the next backup in the same folder adds new ones, then a manifest, then
removes what that does not name.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import msgspec

from stationmaster import __version__, days
from stationmaster.errors import BadRequest, OperatorError
from stationmaster.lake.storage import sync

MANIFEST = "stationmaster-backup.json"
SECRET_KEY = "secret.key"  # noqa: S105 - the name of a file
FORMAT = 1
FAULTS_NAMED = 5
_PART = re.compile(
    r"lake/org=[A-Za-z0-9_-]+/day=(?P<day>\d{4}-\d\d-\d\d)/part-[A-Za-z0-9_-]+\.parquet", re.ASCII
)


class BackupFile(msgspec.Struct, frozen=True):
    """What the manifest keeps of one file; `sha256` are 64 hex digits."""

    size: int
    """Bytes."""
    sha256: str


class BackupManifest(msgspec.Struct, frozen=True, kw_only=True):
    """Paths are relative to the folder. A backup that was begun and never finished has no files."""

    format: int = FORMAT
    version: str = __version__
    """Of the software that made it."""
    made_at: int
    """UTC milliseconds of the moment that the databases were copied at."""
    files: dict[str, BackupFile] = {}

    @property
    def state(self) -> str:
        """The path of the state database."""
        return f"state-{self.made_at}.sqlite3"

    @property
    def inbox(self) -> str:
        """The path of the inbox database."""
        return f"inbox-{self.made_at}.sqlite3"


def find(folder: Path) -> BackupManifest | None:
    """The manifest of a backup, finished or not; None for a folder that is missing or empty.

    Raises BadRequest for a folder with other things, OperatorError for a manifest that this
    version does not read.
    """
    path = folder / MANIFEST
    if not path.exists():
        if folder.exists() and any(folder.iterdir()):
            raise BadRequest(f"{folder} contains other files than a backup.", code="not_a_backup")
        return None
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=BackupManifest)
    except msgspec.DecodeError as fault:
        raise OperatorError(f"{path} is damaged ({fault}).", code="damaged_backup") from fault
    if manifest.format != FORMAT:
        raise OperatorError(
            f"{folder} was made by a newer Stationmaster; upgrade this one.", code="newer_backup"
        )
    return manifest


def write(folder: Path, manifest: BackupManifest) -> None:
    """Put a manifest in the place of the one before, whole and durable."""
    draft = folder / f"{MANIFEST}.draft"
    with draft.open("wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    draft.rename(folder / MANIFEST)
    sync(folder)


def verified(folder: Path) -> BackupManifest:
    """The manifest of a finished backup, every file of which is as it was written.

    Raises OperatorError that names those that are not, and BadRequest where there is no backup.
    """
    manifest = find(folder)
    if manifest is None or not manifest.files:
        raise BadRequest(f"{folder} does not contain a finished backup.", code="not_a_backup")
    if odd := [path for path in manifest.files if not _is_ours(path, manifest)]:
        raise OperatorError(
            f"The manifest of {folder} names files that no backup has: "
            f"{', '.join(odd[:FAULTS_NAMED])}.",
            code="damaged_backup",
        )
    if lacking := {manifest.state, manifest.inbox} - manifest.files.keys():
        raise OperatorError(
            f"The manifest of {folder} lacks {', '.join(sorted(lacking))}.", code="damaged_backup"
        )
    faults = [path for path, file in manifest.files.items() if not _is_whole(folder / path, file)]
    if faults:
        named = ", ".join(faults[:FAULTS_NAMED]) + (", …" if len(faults) > FAULTS_NAMED else "")
        raise OperatorError(
            f"{len(faults)} of {len(manifest.files)} files of the backup {folder} are damaged or "
            f"missing: {named}.",
            code="damaged_backup",
        )
    return manifest


def file_of(path: Path) -> BackupFile:
    """What a file is now. Raises OSError."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return BackupFile(file.tell(), digest)


def _is_ours(path: str, manifest: BackupManifest) -> bool:
    """Whether a path is that of a file which backups consist of."""
    if path in (manifest.state, manifest.inbox, SECRET_KEY):
        return True
    match = _PART.fullmatch(path)
    if match is None:
        return False
    try:
        days.parse(match["day"])
    except ValueError:
        return False
    return True


def _is_whole(path: Path, entry: BackupFile) -> bool:
    try:
        return path.stat().st_size == entry.size and file_of(path) == entry
    except FileNotFoundError:
        return False


def copy_key(source: Path, folder: Path) -> Path:
    """Copy the secret key from one folder to another, readable by its owner alone."""
    path = folder / SECRET_KEY
    draft = folder / f".{SECRET_KEY}.draft"
    draft.unlink(missing_ok=True)
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write((source / SECRET_KEY).read_bytes())
        file.flush()
        os.fsync(file.fileno())
    draft.rename(path)
    return path
