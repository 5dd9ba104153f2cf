"""Writing the wiki of a commit without a model, by functions whose arguments and answers are plain
data, so that child processes call them."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

from stationmaster.children.messages import Report
from stationmaster.repos.reading import Source
from stationmaster.wiki.checks.lines import line_counts
from stationmaster.wiki.making import generated
from stationmaster.wiki.making.generate import Wiki, generate
from stationmaster.wiki.making.memo import Kept, Nothing
from stationmaster.wiki.transfer.preparing import Prepared, prepare


class Draft(NamedTuple):
    wiki: Wiki
    prepared: Prepared


def draft(source: Source, url: str, memory: str, for_model: bool, report: Report) -> Draft:
    """The wiki of a commit, written without a model and ready to be stored. `memory` is the
    file with results of earlier runs; `for_model` adds what a model may read.
    Raises what reading a repository raises."""
    with source.open() as snapshot, _memory(memory) as kept:
        wiki = generate(snapshot, generated.commit_of(snapshot, url), kept, report, for_model)
        report("checking", 0, 1)
        count = line_counts(snapshot, kept)
        prepared = prepare(generated.upload(wiki), count, dict(wiki.stats), kept)
    return Draft(wiki, prepared)


def written(
    source: Source, url: str | None, place: str, memory: str | None, for_model: bool, report: Report
) -> Wiki:
    """The wiki of a commit whose repository may have no address: `place` names it then."""
    with source.open() as snapshot, _memory(memory) as kept:
        commit = generated.commit_of(snapshot, url, place)
        return generate(snapshot, commit, kept, report, for_model)


def _memory(path: str | None) -> Kept | nullcontext[Nothing]:
    return Kept(Path(path)) if path else nullcontext(Nothing())
