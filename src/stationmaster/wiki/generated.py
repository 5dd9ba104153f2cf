"""A generated wiki on its way into the store, to which it is an upload like any other."""

from __future__ import annotations

from urllib.parse import urlsplit

from stationmaster import __version__
from stationmaster.repos.reading import Snapshot
from stationmaster.wiki.checks import links
from stationmaster.wiki.checks.commit import line_counts
from stationmaster.wiki.facts.model import Commit
from stationmaster.wiki.generate import Wiki
from stationmaster.wiki.model import Details, Origin, PrivacyLevel, Upload, UploadedPage

TOOL = f"stationmaster/{__version__}"


def commit_of(snapshot: Snapshot, url: str | None, folder: str = "repository") -> Commit:
    """What is described: named by its address, or by the folder that it lies in."""
    name = urlsplit(url).path.rstrip("/").rpartition("/")[2] if url else folder
    return Commit(snapshot.commit, snapshot.committed_at, snapshot.branch, url, name or folder)


def upload(wiki: Wiki, privacy_level: PrivacyLevel = "organization") -> Upload:
    """All of it, in the order of its pages. The commit must have an address."""
    commit = wiki.commit
    origin = Origin(
        repo_url=commit.url or "",
        commit_hash=commit.hash,
        branch=commit.branch,
        has_local_changes=False,
        agent_version=TOOL,
    )
    pages = [
        UploadedPage(f"{page.key}.md", page.body, page.title, order)
        for order, page in enumerate(wiki.pages)
    ]
    return Upload(origin=origin, pages=pages, privacy_level=privacy_level)


def details(wiki: Wiki, snapshot: Snapshot) -> Details:
    """What there is to count, and whether its links and citations hold."""
    pages = {f"{page.key}.md": page.body for page in wiki.pages}
    report = links.check(pages, lines_of=line_counts(snapshot))
    return links.details(report, dict(wiki.stats))
