"""Reports which repository is read where a folder inside one was named."""

from __future__ import annotations

from pathlib import Path

from stationmaster.cli.printing import output
from stationmaster.repos import targets


def announce(target: str) -> None:
    """A remark that the whole repository of a subfolder is read. Raises NotFound for none."""
    if targets.is_address(target):
        return
    root = targets.root_of(target)
    if root != Path(target).resolve():
        output.remark(f"{target} is part of the repository {root}, which is read as a whole.")
