"""`backup`, `restore`, `migrate-store`: a whole installation, copied or moved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stationmaster.cli import folder
from stationmaster.cli.configuring import configure
from stationmaster.cli.options import DataDir, Json
from stationmaster.cli.printing import output
from stationmaster.lake.backups import archive, make
from stationmaster.lake.storage import Lake
from stationmaster.wiki import service

if TYPE_CHECKING:
    from stationmaster.lake.backups.archive import BackupManifest

Backup = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of the backup.")]


def backup(
    target: Backup,
    data_dir: DataDir = None,
    without_key: Annotated[
        bool, typer.Option("--without-key", help="Leave the secret key out.")
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Only compare the files of a backup with its manifest.")
    ] = False,
    json: Json = False,
) -> None:
    """Copy an installation into a folder while it runs.

    Run again into the same folder, it copies only the new part of the lake.
    """
    settings = configure(data_dir)
    if verify:
        _report(archive.verified(target), json)
        return
    folder.check(settings)
    made = make.make(
        settings, target, with_key=not without_key, reindex=service.reindex, report=output.remark
    )
    _report(made, json)
    if archive.SECRET_KEY in made.files:
        output.remark(
            f"{target / archive.SECRET_KEY} opens the secrets in this backup: "
            "keep it as safe as they are, or leave it out with --without-key."
        )
    else:
        output.remark(
            "The secret key is not in this backup: keep it elsewhere, nothing replaces it."
        )


def restore(source: Backup, data_dir: DataDir = None, json: Json = False) -> None:
    """Restore a backup into a new data folder.

    The database goes to STATIONMASTER_DATABASE_URL if that is set.
    """
    settings = configure(data_dir)
    with folder.filling(settings):
        restored = make.restore_files(
            source, settings, reindex=service.reindex, report=output.remark
        )
    _report(restored, json)
    output.remark(
        f"People who were erased after {output.moment(restored.made_at)} UTC are in this backup: "
        "erase them again with `stationmaster people erase ADDRESS`."
    )
    if archive.SECRET_KEY not in restored.files:
        output.remark(
            "The backup is without a secret key: set STATIONMASTER_SECRET_KEY, or put the file "
            f"{archive.SECRET_KEY} into {settings.data_dir}, before anything runs."
        )


def migrate_store(
    to: Annotated[str, typer.Option(help="postgresql://USER@HOST/DATABASE, an empty database.")],
    lake: Annotated[
        str | None, typer.Option(help="Copy the lake, too: s3://bucket/prefix.", show_default=False)
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Move the database from SQLite to PostgreSQL; resumable.

    Every table is compared afterwards; the old database stays.
    """
    settings = configure(data_dir)
    folder.check(settings)
    other = None if lake is None else Lake.open(configure(data_dir, lake_url=lake))
    copied = make.relocate_installation(
        settings, to, lake=other, reindex=service.reindex, report=output.remark
    )
    tables = [table._asdict() for table in copied]
    if json:
        output.as_json({"tables": tables})
    else:
        output.as_table(["table", "rows", "digest"], copied)
    needed = "STATIONMASTER_DATABASE_URL" + (" and STATIONMASTER_LAKE_URL" if lake else "")
    output.remark(f"Both sides are the same. Start everything with {needed} from now on.")
    if settings.secret_key is None:
        output.remark(
            f"Other machines need the secret key, too: the file secret.key of {settings.data_dir}, "
            "or its text as STATIONMASTER_SECRET_KEY."
        )


def _report(manifest: BackupManifest, json: bool) -> None:
    size = sum(file.size for file in manifest.files.values())
    summary = {"made_at": manifest.made_at, "files": len(manifest.files), "bytes": size}
    if json:
        output.as_json(summary)
        return
    output.as_table(
        ["made at", "files", "bytes"],
        [[output.moment(manifest.made_at), len(manifest.files), size]],
    )
