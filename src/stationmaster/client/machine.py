"""What names this machine to a server: a number drawn once, which reveals nothing of it."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

FILE = "machine"
"""Below the client's folder. A machine without it gets another one."""


def of(folder: Path) -> str | None:
    """The machine's 32 hex digits, made where there are none; None where nothing can be kept."""
    file = folder / FILE
    try:
        if not file.exists():
            _make(file)
        return file.read_text(encoding="ascii").strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def _make(file: Path) -> None:
    """Written whole, and by one of several processes alone."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f"{FILE}.{os.getpid()}")
    draft.write_text(secrets.token_hex(16), encoding="ascii")
    with suppress(FileExistsError):
        os.link(draft, file)
    draft.unlink()
