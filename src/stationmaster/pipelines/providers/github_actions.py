"""GitHub Actions: the workflows of `.github/workflows`, and templates for those of others.

Source: CI scan reference, sections 2, 3 and 5.
"""

from __future__ import annotations

import re

from stationmaster.pipelines.providers.actions import reader

NAME = "github-actions"
_FILE = re.compile(r"\.github/workflows/[^/]+\.ya?ml")


def is_workflow(path: str) -> bool:
    """Only the folder itself counts: neither its sub-folders nor copies elsewhere."""
    return _FILE.fullmatch(path) is not None


class Reader(reader.Reader):
    provider = NAME
