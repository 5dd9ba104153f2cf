"""Copies of repositories on this machine: one bare object store each, brought up to date on demand.

`data_dir/repos/<organization>/<repository>.git` holds objects and the one reference HEAD; no name
or text of the repository. Fetching adds to it and removes nothing, so readers need no lock; one
process at a time fetches. Whatever a killed one left is removed before the next begins.
"""

from __future__ import annotations

import logging
import re
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from stationmaster.db.alone import is_locked
from stationmaster.errors import Conflict, NotFound, Unavailable
from stationmaster.ids import OrgId, RepoId
from stationmaster.repos import git, local, network
from stationmaster.repos.model import Credential, FetchError, FetchFailed, Head, provider_of
from stationmaster.repos.reading import Snapshot, Source
from stationmaster.settings import Settings

log = logging.getLogger("stationmaster.repos")
LOCK_WAIT_S = 10.0
FETCHES_MAX = 4
"""At the same time in one process: slow servers must not take all its threads."""
PACKS_MAX = 50
"""Each fetch adds one; a mirror with more is made again, which packs it well."""
_turns = threading.BoundedSemaphore(FETCHES_MAX)
_LOCK_POLL_S = 0.05
_FILE_MIN = 2**20
"""What a fetch may write however full a mirror is: small repositories' limits stay meaningful."""
_HEAD_REF = "refs/heads/mirror"
_OLD_FAULTS = ("zeroPaddedFilemode", "badTimezone", "missingSpaceBeforeDate", "missingTaggerEntry")
"""What old tools got wrong in histories that are in use, harmless to who only reads."""
_REASONS: tuple[tuple[str, FetchError], ...] = (
    (r"returned error: 40[13]|Authentication failed", "forbidden"),
    (r"returned error: 404|not found", "not_found"),
    (r"fsck|invalid index-pack|unpack|bad object|mismatched algorithms|corrupt", "invalid"),
)
"""The last lines of git, the most specific first; the server itself was reached a moment before."""


def refresh(
    settings: Settings, org: OrgId, repo: RepoId, url: str, credential: Credential | None
) -> Head:
    """Fetch the HEAD of the server at a normalised address; afterwards `snapshot` can open it.

    Raises FetchFailed, leaving what was there before, and Unavailable (`repository_busy`) while
    another process fetches it, or this one fetches FETCHES_MAX others.
    """
    with (
        _turn(),
        _locked(settings, org, repo) as mirror,
        tempfile.TemporaryDirectory(prefix="stationmaster-git-") as home,
    ):
        until = time.monotonic() + settings.repos_fetch_seconds
        _clean(mirror)
        auth = None if credential is None else credential.header(provider_of(url))
        remote, head = network.reach(settings, url, auth, until)
        masked = () if credential is None or auth is None else (auth, credential.secret.reveal())
        fetch = _Fetch(settings, remote, auth, masked, Path(home), until)
        if not _is_usable(mirror, settings, head):
            _renew(mirror, fetch, head)
        elif _commit(mirror) != head.commit:
            try:
                fetch.into(mirror)
            except FetchFailed as fault:
                if fault.reason not in ("too_large", "invalid"):
                    raise
                _clean(mirror)
                # It may fit without what was rewritten, and be whole without what is damaged.
                _renew(mirror, fetch, head)
        # The server may have moved on since it answered its HEAD.
        return Head(_commit(mirror) or head.commit, head.branch)


def snapshot(settings: Settings, org: OrgId, repo: RepoId, head: Head) -> Snapshot:
    """A fetched commit, ready to read. Raises Conflict (`repository_not_fetched`)."""
    return source(settings, org, repo, head).open()


def source(settings: Settings, org: OrgId, repo: RepoId, head: Head) -> Source:
    """A fetched commit, for another process to read. Raises Conflict (`repository_not_fetched`)."""
    mirror = _path(settings, org, repo)
    shallow = mirror / "shallow"
    if not (mirror / "objects").is_dir():
        raise not_fetched()
    return Source(
        str(mirror / "objects"),
        head.commit,
        branch=head.branch,
        shallow=str(shallow) if shallow.is_file() else None,
    )


def holds(settings: Settings, org: OrgId, repo: RepoId, commit: str) -> bool:
    """Is that the commit which this machine has fetched last? Another one may have continued."""
    return _commit(_path(settings, org, repo)) == commit


def remove(settings: Settings, org: OrgId, repo: RepoId) -> None:
    """Delete a mirror and everything of it. Raises Unavailable while it is being fetched."""
    mirror = _path(settings, org, repo)
    if not mirror.parent.exists():
        return
    with _locked(settings, org, repo):
        if mirror.is_dir():
            mirror.rename(_aside_of(mirror))
        _clean(mirror)
        shutil.rmtree(remembered(settings, org, repo), ignore_errors=True)
        _lock_path(mirror).unlink()


def remembered(settings: Settings, org: OrgId, repo: RepoId) -> Path:
    """Where readers of a repository may keep what they found; it is removed with the mirror."""
    return _path(settings, org, repo).with_suffix(".read")


def not_fetched() -> Conflict:
    """The Conflict (`repository_not_fetched`) for a repository without a mirror."""
    return Conflict(
        "The repository has not been fetched yet; refresh it.", code="repository_not_fetched"
    )


class _Fetch:
    """One attempt: the server, the credential, and the time that is left."""

    def __init__(
        self,
        settings: Settings,
        remote: network.Remote,
        auth: str | None,
        masked: Sequence[str],
        home: Path,
        until: float,
    ) -> None:
        self._settings = settings
        self._remote = remote
        self._auth = auth
        self._masked = masked
        self._home = home
        self._until = until

    def into(self, mirror: Path) -> None:
        """Bring a mirror up to date. The size is bounded twice: git's own files while they grow,
        and all of it afterwards.
        """
        depth = self._settings.repos_depth
        arguments = [
            "fetch",
            "--quiet",
            "--force",
            "--no-tags",
            "--no-recurse-submodules",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            *([f"--depth={depth}"] if depth else []),
            "--",
            self._remote.url,
            f"+HEAD:{_HEAD_REF}",
        ]
        size_max = self._settings.repos_size_max
        room = max(_FILE_MIN, size_max - _size(mirror))
        try:
            self._git(arguments, room, GIT_DIR=str(mirror))
        except FetchFailed:
            # git reports of a helper that met its limit only that it ended.
            if any(path.stat().st_size >= room for path in mirror.glob("objects/pack/tmp_*")):
                raise FetchFailed("too_large") from None
            raise
        if _size(mirror) > size_max:
            raise FetchFailed("too_large")

    def _git(self, arguments: list[str], file_size: int, **environment: str) -> bytes:
        left = self._until - time.monotonic()
        if left <= 0:
            raise FetchFailed("timed_out")
        try:
            return git.run(
                arguments,
                home=self._home,
                environment={**environment, "GIT_ALLOW_PROTOCOL": self._remote.scheme},
                config=self._remote.config(self._auth)
                | {f"fetch.fsck.{name}": "ignore" for name in _OLD_FAULTS},
                limits=git.GitLimits(left, git.THREADS * (int(left) + 1), file_size=file_size),
                secrets=self._masked,
            )
        except git.GitError as fault:
            log.warning("git %s %s: %s", arguments[0], self._remote.url, fault.stderr[-300:])
            raise FetchFailed(_reason(fault)) from fault


def _reason(fault: git.GitError) -> FetchError:
    if fault.timed_out:
        return "timed_out"
    for pattern, reason in _REASONS:
        if re.search(pattern, fault.stderr):
            return reason
    return "unreachable"


def _renew(mirror: Path, fetch: _Fetch, head: Head) -> None:
    """Fetch everything into a new mirror, and put it in place once it is whole."""
    draft = _aside_of(mirror)
    try:
        git.make_folder(draft, head.commit, _HEAD_REF)
        fetch.into(draft)
        if mirror.is_dir():
            mirror.rename(_aside_of(mirror))
        draft.rename(mirror)
    finally:
        _clean(mirror)


def _is_usable(mirror: Path, settings: Settings, head: Head) -> bool:
    """Can fetching bring it up to date? Not one of another depth or kind of hash."""
    commit = _commit(mirror)
    packs = list((mirror / "objects" / "pack").glob("*.pack"))
    return (
        commit is not None
        and len(commit) == len(head.commit)
        and len(packs) <= PACKS_MAX
        and (mirror / "shallow").is_file() == bool(settings.repos_depth)
    )


def _commit(mirror: Path) -> str | None:
    """What was fetched last; None where there is no mirror, or a broken one."""
    try:
        return local.resolve(local.find(mirror), _HEAD_REF)[0]
    except NotFound:
        return None


def _clean(mirror: Path) -> None:
    """Remove what a killed fetch left: drafts, locks of git, unfinished packs."""
    for leftover in (
        *mirror.parent.glob(f"{mirror.name}.*"),
        *mirror.glob("*.lock"),
        *mirror.glob("refs/heads/*.lock"),
        *mirror.glob("objects/*/tmp_*"),
        *mirror.glob("objects/tmp_*"),
    ):
        # Orphans of a killed process may still write there, or tidy up themselves.
        if leftover.is_dir():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            leftover.unlink(missing_ok=True)


def _aside_of(mirror: Path) -> Path:
    """A name that `_clean` removes: under its own a mirror is there whole or not at all."""
    return mirror.with_name(f"{mirror.name}.{secrets.token_hex(4)}")


@contextmanager
def _turn() -> Iterator[None]:
    if not _turns.acquire(timeout=LOCK_WAIT_S):
        raise busy()
    try:
        yield
    finally:
        _turns.release()


@contextmanager
def _locked(settings: Settings, org: OrgId, repo: RepoId) -> Iterator[Path]:
    """The mirror's path, with every other process that would change it kept waiting."""
    mirror = _path(settings, org, repo)
    lock = _lock_path(mirror)
    mirror.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    give_up = time.monotonic() + LOCK_WAIT_S
    while True:
        with open(lock, "ab") as file:
            if is_locked(file.fileno(), lock):
                yield mirror
                return
        if time.monotonic() > give_up:
            raise busy()
        time.sleep(_LOCK_POLL_S)


def busy() -> Unavailable:
    """The Unavailable (`repository_busy`) after a wait for a lock or turn that took too long."""
    return Unavailable("Repositories are being fetched; try again.", code="repository_busy")


def _path(settings: Settings, org: OrgId, repo: RepoId) -> Path:
    return settings.repos_dir / org / f"{repo}.git"


def _lock_path(mirror: Path) -> Path:
    return mirror.with_suffix(".lock")


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
