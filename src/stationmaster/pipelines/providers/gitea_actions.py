"""Gitea Actions: the workflows of `.gitea/workflows`, in the language of GitHub's."""

from __future__ import annotations

import re

from stationmaster.pipelines.providers.actions import reader

NAME = "gitea-actions"
_FILE = re.compile(r"\.gitea/workflows/[^/]+\.ya?ml")


def is_workflow(path: str) -> bool:
    return _FILE.fullmatch(path) is not None


class Reader(reader.Reader):
    provider = NAME
