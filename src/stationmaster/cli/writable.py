"""Finding out before long work that its result cannot be written."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from stationmaster.errors import OperatorError


def check_file(option: str, path: Path | None) -> None:
    """Raise OperatorError where no file can be written at a path; nothing stays behind."""
    if path is None:
        return
    is_new = not path.exists()
    try:
        with path.open("ab"):
            pass
        if is_new:
            path.unlink()
    except OSError as fault:
        raise _refused(option, path, fault) from fault


def check_folder(option: str, path: Path) -> None:
    """The same for a folder, which is made where it is missing, and taken away again."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=path):
            pass
    except OSError as fault:
        raise _refused(option, path, fault) from fault
    finally:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()


def _refused(option: str, path: Path, fault: OSError) -> OperatorError:
    return OperatorError(
        f"{option} {path} cannot be written: {fault.strerror or fault}", code="not_writable"
    )
