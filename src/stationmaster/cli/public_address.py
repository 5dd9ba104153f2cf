"""The public address of a data folder's server, for links that a command prints."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from stationmaster.settings import Settings

_NAME = "server.json"


def remember(settings: Settings) -> None:
    """Note the address of a server that starts: its port is not in the settings of commands."""
    draft = settings.data_dir / f".{_NAME}.{os.getpid()}"
    draft.write_bytes(msgspec.json.encode({"address": settings.app_address}) + b"\n")
    draft.replace(settings.data_dir / _NAME)


def find(settings: Settings) -> str:
    """The address that is set, else that of the last server of the data folder to start."""
    if settings.app_url is not None:
        return settings.app_address
    try:
        noted = msgspec.json.decode((settings.data_dir / _NAME).read_bytes(), type=dict[str, str])
        return noted["address"]
    except (OSError, msgspec.DecodeError, KeyError):
        return settings.app_address
