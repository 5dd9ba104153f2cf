"""A refresh of one repository, and what it leaves on disk."""

from __future__ import annotations

import re

import pytest

from stationmaster.ids import OrgId, RepoId
from stationmaster.repos import mirrors
from stationmaster.repos.model import Credential, FetchFailed, Head
from stationmaster.settings import Settings

ORG, REPO = OrgId("org_acme"), RepoId("repo_a")


def refresh(settings: Settings, url: str, credential: Credential | None = None) -> Head:
    return mirrors.refresh(settings, ORG, REPO, url, credential)


def files(settings: Settings, head: Head) -> dict[str, bytes]:
    with mirrors.snapshot(settings, ORG, REPO, head) as snapshot:
        return {entry.path: snapshot.read(entry.path, 10**7) for entry in snapshot.entries()}


def reason(settings: Settings, url: str) -> str:
    """Why a repository cannot be fetched."""
    with pytest.raises(FetchFailed) as refused:
        refresh(settings, url)
    assert refused.value.code == f"repository_{refused.value.reason}"
    return refused.value.reason


def on_disk(settings: Settings) -> list[str]:
    return sorted(
        str(path.relative_to(settings.repos_dir)) for path in settings.repos_dir.rglob("*")
    )


OUR_NAMES = re.compile(
    r"org_acme(/repo_a\.(lock|git(/(HEAD|config|shallow|refs(/heads(/mirror)?)?"
    r"|objects(/(info|pack(/pack-[0-9a-f]{40}\.(pack|idx|rev))?))?))?))?"
)
