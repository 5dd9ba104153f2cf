"""Operations on wiki runs.

A run is visible to every member of its organization, or, while it is private, only to its creator.
All verbs raise NotFound for what their caller does not see, as for what does not exist. Its
creator,
owners and managers may change and delete what they see; an owner may also delete, by its id, what
is private to somebody else, who may have left.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec
from sqlalchemy import Connection

from stationmaster import clock, ids
from stationmaster.access import audit, operator
from stationmaster.access.model import Caller
from stationmaster.access.store import lock_organization
from stationmaster.db.engine import Database
from stationmaster.errors import Conflict, Forbidden, NotFound
from stationmaster.ids import OrgId
from stationmaster.repos import addresses
from stationmaster.wiki import citations, indexes, reads, search_rows, store, tree
from stationmaster.wiki.citations import FilePages
from stationmaster.wiki.model import Details, Node, Page, PrivacyLevel, Run, Upload
from stationmaster.wiki.searching import search
from stationmaster.wiki.transfer import layout, preparing
from stationmaster.wiki.transfer.preparing import Prepared
from stationmaster.wiki.transfer.uploads import Checked

PREFIX = "wiki"


class Archive(NamedTuple):
    name: str
    content: bytes


def create(db: Database, caller: Caller, upload: Upload, prepared: Prepared | None = None) -> Run:
    """Store an uploaded wiki as a new run, all of it or nothing. Raises BadRequest.

    `prepared` is what a child process made of the upload; without it this process does.
    """
    checked, rows, details = prepared or preparing.prepare(upload)
    run = Run(
        run_id=ids.new_sortable(PREFIX),
        repository_id=addresses.id_of(caller.org_id, checked.origin.repo_url),
        created_at=clock.now_ms(),
        created_by=caller.principal_id,
        privacy_level=upload.privacy_level,
        page_count=len(checked.pages),
        origin=checked.origin,
    )
    with db.transaction() as connection:
        lock(connection, caller.org_id)
        store.insert_run(connection, caller.org_id, run, tree.grow(checked.pages), details)
        put_files(connection, caller.org_id, run, checked, rows)
        values = {
            "repository_id": run.repository_id,
            "pages": run.page_count,
            "privacy_level": run.privacy_level,
        }
        audit.note(connection, caller, "wiki_run_created", "wiki_run", run.run_id, **values)
    return run


def newest(db: Database, caller: Caller) -> list[Run]:
    """The newest run of each repository, newest first."""
    return reads.newest_runs(db, caller)


def history(
    db: Database, caller: Caller, repo_url: str, *, limit: int, before: str | None = None
) -> list[Run]:
    """The runs of a repository, however its address is spelled, newest first; before a run id."""
    repository = addresses.id_of(caller.org_id, repo_url)
    return reads.runs_of(db, caller, repository, limit=limit, before=before)


def get(db: Database, caller: Caller, run_id: str) -> tuple[Run, list[Node]]:
    """A run and its page tree, in which every node has the id of a page that `page` answers."""
    run, nodes = _stored(db, caller, run_id)
    indexes.identify(nodes)
    return run, nodes


def details(db: Database, caller: Caller, run_id: str) -> Details | None:
    """What was counted when a run that the caller sees was made; None where nothing was."""
    with db.reading() as connection:
        return store.details(connection, caller.org_id, run_id)


def page(
    db: Database, caller: Caller, run_id: str, page_id: str, files: FilePages | None = None
) -> tuple[Page, str]:
    """A page and its Markdown, in which citations are addresses of `files`, else of its host.

    A section without a page has an index of what is below it.
    """
    shown = reads.page(db, caller, run_id, page_id)
    if shown is None:
        raise reads.unknown()
    if shown.page is None:
        _, nodes = _stored(db, caller, run_id)
        index = indexes.page(nodes, page_id)
        if index is None:
            raise NotFound("There is no such page.")
        return index
    at = files or citations.host(shown.repo_url, shown.commit or "")
    return shown.page, citations.expand(shown.content.decode(), at)


def set_privacy(db: Database, caller: Caller, run_id: str, level: PrivacyLevel) -> Run:
    """Make a run visible to its creator only, or to the organization."""
    with db.transaction() as connection:
        lock(connection, caller.org_id)
        run = _seen(connection, caller, run_id)
        check_may_change(caller, run)
        if run.privacy_level == level:
            return run
        store.set_privacy(connection, caller.org_id, run_id, level)
        audit.note(
            connection, caller, "wiki_privacy_changed", "wiki_run", run_id, privacy_level=level
        )
    return msgspec.structs.replace(run, privacy_level=level)


def remove(db: Database, caller: Caller, run_id: str) -> None:
    """Delete a run permanently, with everything that only it consists of."""
    with db.transaction() as connection:
        lock(connection, caller.org_id)
        if caller.role == "owner":
            run = _run(connection, caller, run_id)
        else:
            run = _seen(connection, caller, run_id)
        check_may_change(caller, run)
        search.index_of(connection).remove(connection, caller.org_id, run_id)
        store.delete_run(connection, caller.org_id, run_id)
        about = {"repository_id": run.repository_id}
        audit.note(connection, caller, "wiki_run_deleted", "wiki_run", run_id, **about)


def export(db: Database, caller: Caller, run_id: str) -> Archive:
    """A run as a zip archive; the same run gives the same bytes."""
    with db.reading() as connection:
        run = _seen(connection, caller, run_id)
        if not run.is_completed:
            raise Conflict("The run is not completed.", code="run_not_completed")
        content = layout.write(
            run,
            store.pages(connection, caller.org_id, run_id),
            store.assets(connection, caller.org_id, run_id),
            lambda digest: store.body(connection, caller.org_id, digest),
        )
    return Archive(layout.archive_name(run.origin), content)


def reindex(db: Database) -> None:
    """Make the search of every run anew from its stored pages, a run in a transaction."""
    for tenant in operator.tenants(db):
        with db.reading() as connection:
            run_ids = store.run_ids(connection, tenant.org_id)
        for run_id in run_ids:
            with db.transaction() as connection:
                _reindex(connection, tenant.org_id, run_id)


def _reindex(connection: Connection, org: OrgId, run_id: str) -> None:
    rows = (
        row
        for page in store.pages(connection, org, run_id)
        for row in search_rows.rows_of(
            page.page_id, page.title, store.body(connection, org, page.digest).decode()
        )
    )
    index = search.index_of(connection)
    index.remove(connection, org, run_id)
    index.add(connection, org, run_id, rows)


def may_change(caller: Caller, run: Run) -> bool:
    """May a caller who sees a run change its privacy?"""
    return caller.role in ("owner", "manager") or caller.principal_id == run.created_by


def _seen(connection: Connection, caller: Caller, run_id: str) -> Run:
    run = _run(connection, caller, run_id)
    if run.privacy_level == "private" and run.created_by != caller.principal_id:
        raise reads.unknown()
    return run


def _stored(db: Database, caller: Caller, run_id: str) -> tuple[Run, list[Node]]:
    stored = reads.run(db, caller, run_id)
    if stored is None:
        raise reads.unknown()
    return stored


def _run(connection: Connection, caller: Caller, run_id: str) -> Run:
    run = store.run(connection, caller.org_id, run_id)
    if run is None:
        raise reads.unknown()
    return run


def check_may_change(caller: Caller, run: Run) -> None:
    if not may_change(caller, run):
        raise Forbidden("This is for the creator of the run, owners and managers.")


def lock(connection: Connection, org: OrgId) -> None:
    """Let changes wait for each other: one may delete the body that another one shares."""
    lock_organization(connection, org)


def put_files(
    connection: Connection, org: OrgId, run: Run, checked: Checked, rows: list[search_rows.Row]
) -> None:
    """Store what a run consists of, and make it searchable."""
    store.insert_bodies(connection, org, checked.bodies)
    store.insert_files(connection, org, run.run_id, checked.pages, checked.assets)
    search.index_of(connection).add(connection, org, run.run_id, rows)
