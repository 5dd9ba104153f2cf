"""A generated wiki on its way into the store, to which it is an upload like any other."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from stationmaster import __version__
from stationmaster.repos.reading import Snapshot
from stationmaster.wiki.checks import links
from stationmaster.wiki.checks.lines import line_counts
from stationmaster.wiki.facts.model import Commit
from stationmaster.wiki.making.generate import Wiki
from stationmaster.wiki.model import Details, Upload, UploadedPage
from stationmaster.wiki.outputs import layouts
from stationmaster.wiki.transfer import layout
from stationmaster.wiki.transfer.archives import Entry

TOOL = f"stationmaster/{__version__}"


def commit_of(snapshot: Snapshot, url: str | None, place: str = "repository") -> Commit:
    """What is described: named by its address or its folder until its own name has been read."""
    name = urlsplit(url).path.rstrip("/").rpartition("/")[2] if url else place
    return Commit(snapshot.commit, snapshot.committed_at, snapshot.branch, url, name or place)


def upload(wiki: Wiki) -> Upload:
    """All of it, in the order of its pages. The commit must have an address."""
    described = manifest(wiki)
    pages = [
        UploadedPage(f"{page.key}.md", page.body, page.title, order)
        for order, page in enumerate(wiki.pages)
    ]
    return Upload(origin=layout.origin_of(described, {}), pages=pages)


def manifest(wiki: Wiki) -> layout.Manifest:
    """What `wiki.json` states of it."""
    commit = wiki.commit
    return layout.Manifest(
        repo_url=commit.url,
        commit_hash=commit.hash,
        branch=commit.branch,
        has_local_changes=False,
        agent_version=TOOL,
        model_id=wiki.model,
        pages=[f"{page.key}.md" for page in wiki.pages],
    )


def entries(wiki: Wiki) -> Iterator[Entry]:
    """Its files as an upload has them: citations are not yet addresses."""
    yield Entry(layout.MANIFEST, layout.encoded(manifest(wiki)))
    for page in sorted(wiki.pages, key=lambda page: page.key):
        yield Entry(f"{page.key}.md", page.body.encode())


def files(wiki: Wiki, kind: str) -> dict[str, bytes]:
    """Contents by their names in a folder of this layout."""
    return layouts.files(wiki.pages, manifest(wiki), kind)


def details(wiki: Wiki, snapshot: Snapshot) -> Details:
    """What there is to count, and whether its links and citations are right."""
    pages = {f"{page.key}.md": page.body for page in wiki.pages}
    report = links.check(pages, lines_of=line_counts(snapshot))
    return links.details(report, dict(wiki.stats))
