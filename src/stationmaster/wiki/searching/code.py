"""Passages of a run's code that answer a question, read from the copy of the repository here.

Who sees the run may read them where the organization has registered its repository, as all files of
it (`source_files`).
"""

from __future__ import annotations

import logging
from urllib.parse import quote

import msgspec

from stationmaster.access.model import Caller
from stationmaster.children.calling import ChildError, call
from stationmaster.children.limits import Limits
from stationmaster.children.turns import Turns
from stationmaster.db.engine import Database
from stationmaster.errors import StationmasterError
from stationmaster.repos import local, mirrors, service as repos
from stationmaster.repos.model import Head
from stationmaster.settings import Settings
from stationmaster.wiki import citations, reads
from stationmaster.wiki.model import CODE_PASSAGES, CodePassage

log = logging.getLogger("stationmaster.wiki.searching")

AT_ONCE, AT_ONCE_OF_ORGANIZATION = 4, 2
"""Questions of one process for which code is read."""
WAIT_S = 1.0
"""For a turn; then the question is answered without code."""
_turns = Turns(AT_ONCE, AT_ONCE_OF_ORGANIZATION)


def passages(
    db: Database,
    settings: Settings,
    caller: Caller,
    run_id: str,
    question: str,
    files: citations.FilePages | None = None,
) -> list[CodePassage]:
    """The functions and types that answer a question, best first; none for a run whose commit is
    not here, and where reading costs too much. Raises NotFound for a run that is not seen.

    Their addresses are those of `files`, else of the repository's host, else of our own pages.
    """
    # Loaded with the first question: a server starts sooner without what reads code.
    from stationmaster.wiki.searching import functions

    limits = Limits(
        cpu_s=int(2 * functions.SECONDS),
        wall_s=3 * functions.SECONDS,
        memory=2**30,
        answer_size=2**20,
    )
    run, _ = reads.run(db, caller, run_id) or (None, None)
    if run is None:
        raise reads.unknown()
    commit = run.origin.commit_hash or ""
    try:
        is_registered = bool(repos.find(db, caller.org_id, run.origin.repo_url))
        if not is_registered or not local.is_oid(commit):
            return []
        source = mirrors.source(settings, caller.org_id, run.repository_id, Head(commit, None))
        with _turns.of(caller.org_id, WAIT_S) as is_mine:
            if not is_mine:
                return []
            some = call(limits, functions.passages, source, question, CODE_PASSAGES)
    except (StationmasterError, ChildError) as fault:
        log.warning("no code of the run %s answers a question: %s", run_id, fault)
        return []
    host = citations.host(run.origin.repo_url, commit)
    pages = citations.FilePages(f"/repositories/{run.repository_id}/files", commit)
    at = files or host or pages
    return [
        msgspec.structs.replace(it, url=at.address(quote(it.path), it.first, it.last))
        for it in some
    ]
