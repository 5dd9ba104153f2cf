"""Secrets that must be given out again (credentials of remotes, keys that sign), sealed at rest.

AES-256-GCM under one key of the installation. What a secret is for, and whose, is authenticated
with it: a sealed text copied to another organization's row does not open there.
"""

from __future__ import annotations

import base64
import binascii
import os
import secrets
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from stationmaster.access.model import Secret
from stationmaster.errors import OperatorError
from stationmaster.settings import Settings

KEY_BYTES = 32
_NONCE_BYTES = 12
_FILE = "secret.key"


class Vault:
    """One per process; safe to share between threads."""

    def __init__(self, key: bytes) -> None:
        """`open` is the way to make one."""
        self._cipher = AESGCM(key)

    @classmethod
    def open(cls, settings: Settings) -> Vault:
        """The vault of an installation: its key is the setting `secret_key`, or else a file that
        is made in the data folder with mode 0600. Raises OperatorError for a key that is none.
        """
        if settings.secret_key is not None:
            return cls(_decoded(settings.secret_key, "STATIONMASTER_SECRET_KEY"))
        path = settings.data_dir / _FILE
        return cls(_decoded(_kept_key(path), str(path)))

    def seal(self, secret: Secret, purpose: str) -> bytes:
        """The form to store. `purpose` names the owner and the use, and must be given to open."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, secret.reveal().encode(), purpose.encode())

    def unseal(self, sealed: bytes, purpose: str) -> Secret:
        """The secret; raises OperatorError when the key, the purpose or the bytes are others."""
        nonce, rest = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
        try:
            return Secret(self._cipher.decrypt(nonce, rest, purpose.encode()).decode())
        except (InvalidTag, ValueError) as fault:
            raise OperatorError(
                "A stored secret cannot be decrypted; is this the installation's secret key?",
                code="secret_key",
            ) from fault


def _kept_key(path: Path) -> str:
    """The key in the file, made first where there is none; processes that race keep one."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(base64.urlsafe_b64encode(secrets.token_bytes(KEY_BYTES)) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            # A link fails where a rename would replace the key that another process made.
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text().strip()


def _decoded(text: str, where: str) -> bytes:
    try:
        key = base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        raise OperatorError(
            f"{where} must hold {KEY_BYTES} random bytes in base64: `openssl rand -base64 32`",
            code="secret_key",
        )
    return key
