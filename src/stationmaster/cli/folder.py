"""The data folder: making it, recognising it, opening what is in it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from stationmaster.access import operator
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, OperatorError
from stationmaster.settings import Settings

if TYPE_CHECKING:
    from stationmaster.access.operator import Tenant
    from stationmaster.ids import OrgId

MARKER = "stationmaster.json"
_DRAFT = f".{MARKER}."
_BEGUN = f".begun-{MARKER}"
_FORMAT = 1


def make(settings: Settings) -> None:
    """Make the data folder, or do nothing when it is there; refuses one that holds other things."""
    folder = settings.data_dir
    _keep_private()
    if _is_ours(folder):
        _close(folder)
        return
    try:
        if folder.exists() and (not folder.is_dir() or _holds_other_things(folder)):
            raise OperatorError(
                f"{folder} is not empty and not a Stationmaster data folder; name another one",
                code="foreign_folder",
            )
        folder.mkdir(parents=True, exist_ok=True)
        _close(folder)
        # In one step, because several processes may start in it at the same time.
        draft = folder / f"{_DRAFT}{secrets.token_hex(4)}"
        draft.write_bytes(_marker())
        draft.rename(folder / MARKER)
    except OSError as fault:
        raise OperatorError(f"cannot make {folder}: {fault.strerror}", code="folder") from fault


@contextmanager
def filling(settings: Settings) -> Iterator[None]:
    """A new data folder, which is one once the block has ended well.

    Raises OperatorError for one that holds anything but what such a block has left unfinished.
    """
    folder = settings.data_dir
    begun = folder / _BEGUN
    if folder.exists() and not begun.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise OperatorError(f"{folder} is not empty; name a new folder", code="foreign_folder")
    _keep_private()
    folder.mkdir(parents=True, exist_ok=True)
    _close(folder)
    begun.write_bytes(_marker())
    yield
    begun.rename(folder / MARKER)


def check(settings: Settings) -> None:
    """Raise OperatorError unless the data folder was made by `init`.

    With state on PostgreSQL the folder keeps only what can be fetched again, and is made.
    """
    if settings.database_url is not None:
        make(settings)
        return
    _keep_private()
    if not _is_ours(settings.data_dir):
        raise OperatorError(
            f"{settings.data_dir} is not a Stationmaster data folder; "
            "make one with `stationmaster init`, name one with --data-dir, or a server with --url "
            "and --key where the command has them",
            code="no_folder",
        )
    _close(settings.data_dir)


@contextmanager
def database(settings: Settings) -> Iterator[Database]:
    """The migrated state database of an existing data folder."""
    check(settings)
    db = Database.open(settings.state_url)
    try:
        db.migrate()
        yield db
    finally:
        db.close()


@contextmanager
def tenant(settings: Settings, name: str | None) -> Iterator[tuple[Database, OrgId]]:
    """The state database of an existing data folder, and the organization asked for."""
    with database(settings) as db:
        yield db, organization(db, name).org_id


def organization(db: Database, name: str | None) -> Tenant:
    """The organization with that id or name, or the only one."""
    organizations = operator.tenants(db)
    if name is not None:
        organizations = [org for org in organizations if name in (org.org_id, org.name)]
    if len(organizations) == 1:
        return organizations[0]
    if not organizations:
        raise BadRequest(
            f"no organization {name!r}" if name else "no organization yet: `stationmaster init`",
            code="no_organization",
        )
    names = ", ".join(sorted(org.name for org in organizations))
    raise BadRequest(f"there are several organizations; choose with --org: {names}", code="org")


def _keep_private() -> None:
    """From now on, what this process and its children write is for their user alone."""
    os.umask(0o077)


def _close(folder: Path) -> None:
    """Take a folder's permissions from everybody else; one of another user stays as it is."""
    mode = folder.stat().st_mode
    if mode & 0o077:
        with suppress(PermissionError):
            folder.chmod(mode & 0o700)


def _marker() -> bytes:
    return msgspec.json.encode({"format": _FORMAT}) + b"\n"


def _holds_other_things(folder: Path) -> bool:
    names = [path.name for path in folder.iterdir()]
    return MARKER not in names and any(not name.startswith(_DRAFT) for name in names)


def _is_ours(folder: Path) -> bool:
    try:
        marker = msgspec.json.decode((folder / MARKER).read_bytes(), type=dict[str, int])
    except (OSError, msgspec.DecodeError):
        return False
    if marker.get("format") != _FORMAT:
        raise OperatorError(
            f"{folder} was made by a newer Stationmaster; upgrade this one", code="newer_folder"
        )
    return True
