"""What `wiki generate` needs of the server's libraries: making a wiki, and uploading it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from stationmaster.children import limits
from stationmaster.children.calling import call
from stationmaster.cli.api import Api
from stationmaster.errors import BadRequest
from stationmaster.repos import targets
from stationmaster.repos.reading import Snapshot
from stationmaster.settings import Settings
from stationmaster.wiki import drafting
from stationmaster.wiki.making import generated
from stationmaster.wiki.making.generate import Wiki
from stationmaster.wiki.making.memo import Kept, Nothing
from stationmaster.wiki.prose import session, writing
from stationmaster.wiki.transfer import archives


def generate(target: str, snapshot: Snapshot, settings: Settings, memory: Path | None) -> Wiki:
    """The wiki of a commit; a child process reads it, and this one calls the model."""
    url = targets.standing(target, snapshot).url
    folder = "repository" if targets.is_address(target) else targets.root_of(target).name
    facts = None if memory is None else str(memory.absolute())
    # What a model wrote is kept apart from the facts, which only the child reads.
    texts_file = (
        memory.with_name(f"{memory.name}.model") if memory and settings.wiki_model else None
    )
    with _progress() as report, Kept(texts_file) if texts_file else nullcontext(Nothing()) as kept:
        wiki = call(
            limits.of(settings),
            drafting.written,
            snapshot.source,
            url,
            folder,
            facts,
            session.has_model(settings),
            report=report,
        )
        return writing.explain(wiki, settings, kept, report).wiki


@contextmanager
def _progress() -> Iterator[Any]:
    """A bar for each step, where a person looks."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    with Progress(console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def report(step: str, done: int, of: int) -> None:
            if step not in tasks:
                tasks[step] = bars.add_task(step, total=of)
            bars.update(tasks[step], completed=done, total=of)

        yield report


def upload(wiki: Wiki, api: Api) -> dict[str, Any]:
    """Store a wiki in the organization; the run that it became.

    Raises BadRequest for a repository without a remote.
    """
    if wiki.commit.url is None:
        raise BadRequest(
            "the repository has no remote `origin`, whose address identifies it", code="no_remote"
        )
    answer: dict[str, Any] = api.request(
        "POST",
        "/api/v0/wiki",
        content=archives.pack(generated.entries(wiki)),
        headers={"Content-Type": archives.MEDIA_TYPE},
    ).json()
    return answer
