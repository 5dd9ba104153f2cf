"""The lake's part files: into a backup, out of it, and from one lake into another."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from stationmaster import days
from stationmaster.errors import Conflict, OperatorError
from stationmaster.lake.backups import archive
from stationmaster.lake.backups.archive import BackupFile
from stationmaster.lake.storage import Lake, Part, Partition, make_folder, sync


def save(lake: Lake, folder: Path, earlier: Mapping[str, BackupFile]) -> dict[str, BackupFile]:
    """Bring every part that is not there yet into a backup; all of the lake's, by their paths.

    Call it after the databases were copied: what they count on is in the lake by then.
    """
    files: dict[str, BackupFile] = {}
    for partition in lake.partitions():
        # A compaction may put one part in the place of others meanwhile, so we look until there is
        # nothing new.
        while fresh := {
            path: part
            for part in lake.parts(*partition)
            if (path := _path(partition, part.name)) not in files
        }:
            kept = {path for path in fresh if path in earlier and (folder / path).exists()}
            files |= {path: earlier[path] for path in kept}
            # A part that was removed is not among those of the next listing.
            with suppress(FileNotFoundError):
                files |= _bring(lake, folder, {p: fresh[p] for p in fresh.keys() - kept})
    return files


def complete(
    files: dict[str, BackupFile],
    earlier: Mapping[str, BackupFile],
    folder: Path,
    entered: Mapping[Partition, Mapping[str, str]],
) -> list[str]:
    """Add to `files` what an earlier backup has of parts that the lake has lost since; the paths of
    parts that neither has as they were written."""
    lost = []
    for partition, hashes in entered.items():
        for name, sha256 in hashes.items():
            path = _path(partition, name)
            before = earlier.get(path)
            if path in files and files[path].sha256 == sha256:
                continue
            if before is not None and before.sha256 == sha256 and (folder / path).exists():
                files[path] = before
            else:
                lost.append(path)
    return lost


def restore(folder: Path, files: Mapping[str, BackupFile], lake: Lake) -> None:
    """Copy a backup's parts into a lake. Raises Conflict for one with other parts."""
    _refuse_others(lake, set(files))
    for partition, path in _of_backup(files):
        lake.put(*partition, path.rpartition("/")[2], folder / path)


def move(
    source: Lake, target: Lake, scratch: Path, entered: Mapping[Partition, Mapping[str, str]]
) -> int:
    """Copy the parts of one lake into another one; how many there are.

    Call it while nothing is moved into the source. Raises Conflict for a target with other parts,
    OperatorError for parts that are not as `entered` has their hashes, and when the sizes differ
    afterwards.
    """
    scratch.mkdir(exist_ok=True)
    listed = {partition: source.parts(*partition) for partition in source.partitions()}
    _refuse_others(target, {_path(where, p.name) for where, parts in listed.items() for p in parts})
    for partition, hashes in entered.items():
        if gone := hashes.keys() - {part.name for part in listed.get(partition, [])}:
            raise _damaged(_path(partition, min(gone)))
    for partition, parts in listed.items():
        there = _sizes(target.parts(*partition))
        missing = [part for part in parts if there.get(part.name) != part.size]
        with tempfile.TemporaryDirectory(dir=scratch) as drafts:
            copies = source.files.copies([part.path for part in missing], Path(drafts))
            for part, copy in zip(missing, copies, strict=True):
                sha256 = entered.get(partition, {}).get(part.name)
                if sha256 is not None and archive.file_of(Path(copy)).sha256 != sha256:
                    raise _damaged(part.path)
                target.put(*partition, part.name, Path(copy))
        if _sizes(target.parts(*partition)) != _sizes(parts):
            raise OperatorError(
                f"The parts of {_path(partition, '')} differ in the lake that they were copied to.",
                code="copy_differs",
            )
    return sum(map(len, listed.values()))


def _damaged(path: str) -> OperatorError:
    return OperatorError(
        f"{path} is missing or was changed: restore it from a backup. Once stationmaster doctor "
        f"has noted that it is lost, the copy continues without it.",
        code="damaged_parts",
    )


def _sizes(parts: list[Part]) -> dict[str, int]:
    return {part.name: part.size for part in parts}


def _path(partition: Partition, name: str) -> str:
    """Where a backup has a part."""
    org, day = partition
    return f"lake/org={org}/day={day.isoformat()}/{name}"


def _of_backup(files: Mapping[str, BackupFile]) -> Iterator[tuple[Partition, str]]:
    for path in files:
        if path.startswith("lake/"):
            _, org, day, _ = path.split("/")
            yield (org.removeprefix("org="), days.parse(day.removeprefix("day="))), path


def _refuse_others(lake: Lake, expected: set[str]) -> None:
    for partition in lake.partitions():
        for part in lake.parts(*partition):
            if _path(partition, part.name) not in expected:
                raise Conflict(
                    f"The target lake has other parts ({part.path}); name an empty one.",
                    code="target_in_use",
                )


def _bring(lake: Lake, folder: Path, parts: Mapping[str, Part]) -> dict[str, BackupFile]:
    """Put parts into a backup, which shares their bytes with the lake where one disk holds both.

    Raises FileNotFoundError when one is missing.
    """
    files = {}
    with tempfile.TemporaryDirectory(dir=folder, prefix=".parts-") as drafts:
        copies = lake.files.copies([part.path for part in parts.values()], Path(drafts))
        for path, copy in zip(parts, copies, strict=True):
            draft, target = Path(drafts) / "part.draft", folder / path
            _link(Path(copy), draft)
            sync(draft)
            make_folder(target.parent, 0o700)
            draft.replace(target)
            # Two names of one file are left as they are by that.
            draft.unlink(missing_ok=True)
            sync(target.parent)
            files[path] = archive.file_of(target)
    return files


def _link(file: Path, name: Path) -> None:
    try:
        os.link(file, name)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copyfile(file, name)
