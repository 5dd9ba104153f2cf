"""Reading runs and pages: a look-up is one statement on an index, run by the driver directly.

All see what a viewer may: runs of the organization, and private ones of the viewer's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.errors import NotFound
from stationmaster.ids import OrgId, RepoId
from stationmaster.wiki.model import Node, Origin, Page, Run

_ORIGIN = Origin.__struct_fields__
_OWN = tuple(name for name in Run.__struct_fields__ if name != "origin")
_RUN = ", ".join(f"r.{name}" for name in (*_OWN, *_ORIGIN))
_VISIBLE = "(r.privacy_level = 'organization' OR r.created_by = ?)"

_ONE = f"SELECT {_RUN}, r.page_tree FROM wiki_runs r WHERE r.org_id = ? AND r.run_id = ?"
_OF_REPOSITORY = f"SELECT {_RUN} FROM wiki_runs r WHERE r.org_id = ? AND r.repository_id = ?"
# Steps from repository to repository in the index, so that the length of no history counts.
_NEWEST = f"""
WITH RECURSIVE step(id) AS (
  SELECT MIN(repository_id) FROM wiki_runs WHERE org_id = ?
  UNION ALL
  SELECT (SELECT MIN(repository_id) FROM wiki_runs WHERE org_id = ? AND repository_id > step.id)
  FROM step WHERE step.id IS NOT NULL
)
SELECT {_RUN} FROM step JOIN wiki_runs r ON r.org_id = ? AND r.run_id = (
  SELECT r.run_id FROM wiki_runs r
  WHERE r.org_id = ? AND r.repository_id = step.id AND {_VISIBLE}
    AND (r.job_id IS NULL OR r.completed_at IS NOT NULL)
  ORDER BY r.run_id DESC LIMIT 1
)
ORDER BY r.run_id DESC
"""
_SEEN = f"SELECT 1 FROM wiki_runs r WHERE r.org_id = ? AND r.run_id = ? AND {_VISIBLE}"
_PAGE = f"""
SELECT p.page_id, p.path, p.title, p.position, p.is_index, p.digest, b.content,
  r.repo_url, r.commit_hash
FROM wiki_runs r
LEFT JOIN wiki_pages p ON p.org_id = r.org_id AND p.run_id = r.run_id AND p.page_id = ?
LEFT JOIN wiki_bodies b ON b.org_id = r.org_id AND b.digest = p.digest
WHERE r.org_id = ? AND r.run_id = ? AND {_VISIBLE}
"""
_PLACE = "(?, CAST(? AS integer), CAST(? AS integer))"
_SECTIONS = """
WITH wanted(page_id, start, size) AS (VALUES {places})
SELECT p.page_id, p.path, p.title, substr(b.content, w.start + 1, w.size)
FROM wanted w
JOIN wiki_pages p ON p.org_id = ? AND p.run_id = ? AND p.page_id = w.page_id
JOIN wiki_bodies b ON b.org_id = p.org_id AND b.digest = p.digest
"""

_tree = msgspec.json.Decoder(list[Node])


class Section(NamedTuple):
    """A part of a page's Markdown, and whose it is."""

    page_id: str
    path: str
    title: str
    text: str


class Shown(NamedTuple):
    """A page with its Markdown, and the repository and commit that its run describes."""

    page: Page | None
    content: bytes
    repo_url: str
    commit: str | None


def run(db: Database, caller: Caller, run_id: str) -> tuple[Run, list[Node]] | None:
    """A run and its page tree as it is stored: a section without a page has no page id."""
    sql = f"{_ONE} AND {_VISIBLE}"
    for row in db.rows(sql, caller.org_id, run_id, caller.principal_id):
        return _run(row), _tree.decode(row[-1])
    return None


def is_seen(db: Database, caller: Caller, run_id: str) -> bool:
    return bool(db.rows(_SEEN, caller.org_id, run_id, caller.principal_id))


def runs_of(
    db: Database, caller: Caller, repository: RepoId, *, limit: int, before: str | None
) -> list[Run]:
    """The runs of a repository, newest first; those older than `before`."""
    sql = f"{_OF_REPOSITORY} AND {_VISIBLE}"
    values: list[Any] = [caller.org_id, repository, caller.principal_id]
    if before is not None:
        sql += " AND r.run_id < ?"
        values.append(before)
    return [_run(row) for row in db.rows(f"{sql} ORDER BY r.run_id DESC LIMIT ?", *values, limit)]


def newest_runs(db: Database, caller: Caller) -> list[Run]:
    """The newest completed run of each repository, newest first."""
    org = caller.org_id
    return [_run(row) for row in db.rows(_NEWEST, org, org, org, org, caller.principal_id)]


def page(db: Database, caller: Caller, run_id: str, page_id: str) -> Shown | None:
    """A page and its Markdown; no page where the run has none of that id, None without the run."""
    for row in db.rows(_PAGE, page_id, caller.org_id, run_id, caller.principal_id):
        *columns, content, repo_url, commit = row
        if columns[0] is None:
            return Shown(None, b"", repo_url, commit)
        stored_id, path, title, order, is_index, digest = columns
        stored = Page(stored_id, path, title, order, bool(is_index), bytes(digest))
        return Shown(stored, bytes(content), repo_url, commit)
    return None


def sections(
    db: Database, org: OrgId, run_id: str, places: Sequence[tuple[str, int, int]]
) -> dict[str, Section]:
    """Parts of pages of a run, by page id: of each requested page so many bytes from a place on."""
    if not places:
        return {}
    sql = _SECTIONS.format(places=", ".join([_PLACE] * len(places)))
    values = [value for place in places for value in place]
    return {
        page_id: Section(page_id, path, title, bytes(text).decode())
        for page_id, path, title, text in db.rows(sql, *values, org, run_id)
    }


def unknown() -> NotFound:
    """The error for a run or page that a caller does not see, as for one that does not exist."""
    return NotFound("There is no such wiki run or page.")


def _run(row: Sequence[Any]) -> Run:
    own = dict(zip(_OWN, row, strict=False))
    origin = dict(zip(_ORIGIN, row[len(_OWN) :], strict=False))
    for name in ("has_local_changes", "has_non_remote_commits"):
        if origin[name] is not None:
            origin[name] = bool(origin[name])
    return Run(**own, origin=Origin(**origin))
