"""The settings of a run of the program, and whether what its options name can be used.

Without the parser of commands, which some commands do not need (`quick`).
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from urllib.parse import urlsplit

from stationmaster import clock, settings
from stationmaster.errors import BadRequest, OperatorError
from stationmaster.settings import Settings


def configure(data_dir: Path | None = None, **flags: object) -> Settings:
    """The settings of this run of the program; a flag that is None was not given."""
    made = settings.load({"data_dir": data_dir, **flags})
    clock.freeze(made.now)
    if made.url is not None:
        check_address(made.url)
    if made.key is not None:
        check_key(made.key)
    return made


def check_address(url: str, option: str = "--url (or STATIONMASTER_URL)") -> None:
    """Raise BadRequest for what cannot be a server's address."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_address = is_address and (parts.port is None or parts.port > 0)
        # A key in the address would end in logs, and the server would not read it.
        is_address = is_address and parts.username is None
    except ValueError:
        is_address = False
    if not is_address or not url.isprintable() or " " in url:
        raise BadRequest(
            f"{option} takes a server's address such as https://stationmaster.example.com, "
            f"not '{url}'",
            code="bad_url",
        )


def check_key(key: str) -> None:
    """Raise BadRequest, which does not quote it, for what no header field can carry."""
    if not key.isascii() or not key.isprintable() or not key or " " in key:
        raise BadRequest(
            "--key (or STATIONMASTER_KEY) is not one API key: it is empty, or has spaces, line "
            "breaks or letters that no key has",
            code="bad_key",
        )


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
