"""Forgejo Actions: the workflows of `.forgejo/workflows`, in the language of GitHub's."""

from __future__ import annotations

import re

from stationmaster.pipelines.providers.actions import reader

NAME = "forgejo-actions"
_FILE = re.compile(r"\.forgejo/workflows/[^/]+\.ya?ml")


def is_workflow(path: str) -> bool:
    return _FILE.fullmatch(path) is not None


class Reader(reader.Reader):
    provider = NAME
