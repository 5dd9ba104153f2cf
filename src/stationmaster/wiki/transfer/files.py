"""A stored run as files that programs read: `llms.txt`, `llms-full.txt`, and a page each.

Links between pages are relative to the folder of the files, as they are stored.
"""

from __future__ import annotations

from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.errors import NotFound
from stationmaster.wiki import citations, markdown, reads, store, tree
from stationmaster.wiki.making.written import Written
from stationmaster.wiki.model import Page
from stationmaster.wiki.outputs import llms

WHOLE = "llms-full.txt"
_DESCRIPTION_MAX = 200


def text(db: Database, caller: Caller, run_id: str, name: str) -> str:
    """The file of a run with a name: `llms.txt` lists the pages, `llms-full.txt` has all of them
    one after the other, `PATH.md` is one. Raises NotFound.
    """
    run, _ = reads.run(db, caller, run_id) or (None, [])
    if run is None:
        raise reads.unknown()
    at = citations.host(run.origin.repo_url, run.origin.commit_hash or "")
    is_index, is_whole = name == llms.NAME, name == WHOLE
    with db.reading() as connection:
        files = [
            _file(page, store.body(connection, caller.org_id, page.digest))
            for page in tree.in_order(store.pages(connection, caller.org_id, run_id))
            if is_index or is_whole or page.file == name
        ]
    if is_index:
        return llms.text(files)
    if not files:
        raise NotFound("There is no such file in this wiki.")
    return "\n".join(citations.expand(file.body, at).rstrip() + "\n" for file in files)


def _file(page: Page, body: bytes) -> Written:
    content = body.decode()
    return Written(page.file.removesuffix(".md"), page.title, _first_paragraph(content), content)


def _first_paragraph(content: str) -> str:
    """The first lines of a page that are neither heading, list, table, quote nor code."""
    for block in content.split("\n\n"):
        line = " ".join(block.split())
        if line and line[0] not in "#>|-*+`~<!" and not line.startswith("```"):
            return markdown.plain(citations.expand(line, None))[:_DESCRIPTION_MAX]
    return ""
