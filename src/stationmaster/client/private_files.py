"""Files of one person: replaced whole, so that a crash leaves the old content or the new one."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Put content durably in the place of what a file holds, readable by its owner alone before
    it has its mode."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.chmod(mode)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
