"""The text form of an API key: `sm_`, 43 random characters, 6 characters of checksum.

The checksum refuses typos and other systems' credentials without a query, and lets scanners of
source code recognise a leaked key for certain. What is stored is a plain SHA-256: a slow hash
protects guessable passwords, and 256 random bits are beyond guessing.
"""

from __future__ import annotations

import re
import secrets
import string
import zlib
from hashlib import sha256

from stationmaster.access.model import Secret

PREFIX = "sm_"
ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
BODY_LENGTH = 43
"""62**43 is just above 2**256."""
CHECKSUM_LENGTH = 6
"""62**6 is above 2**32, the range of CRC-32."""
HINT_LENGTH = 4

_PAIRS = [first + second for first in ALPHABET for second in ALPHABET]
"""The digits of base 62 * 62: checked at every request, three are quicker than six."""
_FORM = re.compile(rf"{PREFIX}[0-9A-Za-z]{{{BODY_LENGTH + CHECKSUM_LENGTH}}}")


def new(prefix: str = PREFIX) -> Secret:
    """A fresh key; another kind of credential has the same form behind a prefix of its own."""
    unsigned = prefix + "".join(secrets.choice(ALPHABET) for _ in range(BODY_LENGTH))
    return Secret(unsigned + _checksum(unsigned))


def is_whole(token: str) -> bool:
    """Whether a token has the form of a key and its checksum fits; it may still be unknown."""
    return (
        _FORM.fullmatch(token) is not None
        and _checksum(token[:-CHECKSUM_LENGTH]) == token[-CHECKSUM_LENGTH:]
    )


def hash_of(token: str) -> str:
    """What is stored of a key: 64 hex digits."""
    return sha256(token.encode()).hexdigest()


def hint_of(token: str) -> str:
    """What is shown of a key later: its prefix and 4 of its 43 random characters."""
    return token[: len(PREFIX) + HINT_LENGTH] + "…"


def _checksum(text: str) -> str:
    rest, low = divmod(zlib.crc32(text.encode()), len(_PAIRS))
    high, middle = divmod(rest, len(_PAIRS))
    return _PAIRS[high] + _PAIRS[middle] + _PAIRS[low]
