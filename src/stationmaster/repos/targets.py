"""What a person names to have it read: a repository in a folder, or one at an address.

A folder's own configuration, hooks and filters are data here as everywhere. What is read of its
work tree is asked with a private git folder that borrows its objects and its index.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from stationmaster.errors import BadRequest, NotFound
from stationmaster.ids import OrgId
from stationmaster.repos import addresses, git, local
from stationmaster.repos.local import GitFolders
from stationmaster.repos.model import Credential, credential as checked
from stationmaster.repos.reading import Snapshot, open_path
from stationmaster.settings import Settings

_HERE = OrgId("org_of_this_machine")
_SCP = re.compile(r"[^/@:\s]+@[^/@:\s]+:.")
_LIMITS = git.GitLimits(wall_s=30)
_FILE_MAX = 2**20
_TIPS_MAX = 10_000
"""Branches of remotes that are read; with more, nothing is reported of what they lack."""


class WorkTreeState(NamedTuple):
    """How what is read relates to its remotes; None is unknown.

    `url` is the address that others know the repository by, without a password.
    """

    url: str | None
    has_local_changes: bool | None
    has_non_remote_commits: bool | None


def is_address(target: str) -> bool:
    """Is this an address rather than a folder? A folder that is there always wins."""
    return not Path(target).exists() and ("://" in target or _SCP.match(target) is not None)


def root_of(target: str) -> Path:
    """The folder of the repository that a folder is, or is part of. Raises NotFound."""
    path = Path(target).resolve()
    if not path.exists():
        raise NotFound(f"{target} does not exist.", code="no_such_folder")
    if not path.is_dir():
        raise NotFound(f"{target} is a file; name a repository's folder.", code="no_repository")
    for folder in (path, *path.parents):
        try:
            local.find(folder)
        except NotFound:
            continue
        return folder
    raise NotFound(f"{target} is not a git repository, and not inside one.", code="no_repository")


@contextmanager
def opened(target: str, settings: Settings, *, ref: str | None = None) -> Iterator[Snapshot]:
    """The commit that is checked out in a folder's repository, or at `ref` there; the HEAD of an
    address.

    An address is fetched into a mirror that is removed with the block, by the rules of a server:
    public hosts unless the settings permit others, within their bounds of size and time.

    Raises NotFound for no repository and no such commit, BadRequest for no address and a ref of an
    address, FetchFailed.
    """
    if not is_address(target):
        with open_path(root_of(target), ref) as snapshot:
            yield snapshot
        return
    if ref is not None:
        raise BadRequest("For an address, only the default branch is read.", code="usage")
    # It brings the client for HTTP, which who reads a folder need not load.
    from stationmaster.repos import mirrors

    url = addresses.normalise(target)
    repo = addresses.id_of(_HERE, url)
    with tempfile.TemporaryDirectory(prefix="stationmaster-") as folder:
        private = msgspec.structs.replace(settings, data_dir=Path(folder))
        head = mirrors.refresh(private, _HERE, repo, url, credential(settings))
        with mirrors.snapshot(private, _HERE, repo, head) as snapshot:
            yield snapshot


def credential(settings: Settings) -> Credential | None:
    """What opens the repository at an address that a person names on this machine."""
    token = settings.repos_token
    return None if token is None else checked("token", None, token)


def standing(target: str, snapshot: Snapshot) -> WorkTreeState:
    """What else there is to know of a target that was opened. Never fails: what cannot be found
    out is None.
    """
    if is_address(target):
        return WorkTreeState(addresses.normalise(target), False, False)
    path = root_of(target)
    place = local.find(path)
    with tempfile.TemporaryDirectory(prefix="stationmaster-git-") as home:
        asking = _Asking(Path(home), place, snapshot.commit)
        has_tree = place.own != path.resolve()
        return WorkTreeState(
            asking.address(), asking.has_changes(path) if has_tree else False, asking.is_ahead()
        )


def address_of(root: Path) -> str | None:
    """The address of a repository's remote `origin`, in the one spelling of addresses."""
    with tempfile.TemporaryDirectory(prefix="stationmaster-git-") as home:
        return _Asking(Path(home), local.find(root), "0" * 40).address()


class _Asking:
    """Questions about a local repository to a git that has nothing of it but its objects."""

    def __init__(self, home: Path, place: GitFolders, commit: str) -> None:
        self._home = home
        self._place = place
        self._commit = commit
        folder = home / "git"
        shared = place.shared
        self._environment = git.borrow(folder, commit, shared / "objects", shared / "shallow")
        (folder / "HEAD").write_text(f"{commit}\n")

    def address(self) -> str | None:
        """The remote `origin`, in the one spelling of addresses; None for none and for a folder."""
        text = local.text(self._place.shared / "config", _FILE_MAX)
        if text is None:
            return None
        copy = self._home / "config"
        copy.write_text(text)
        # A file that is named is read as data: nothing that it includes, nothing that it runs.
        output = self._git("config", "--file", str(copy), "--get", "remote.origin.url")
        try:
            return None if output is None else addresses.normalise(output.decode(errors="replace"))
        except BadRequest:
            return None

    def has_changes(self, path: Path) -> bool | None:
        """Does the work tree or the index differ from the commit? Untracked files count, ignored
        ones and submodules do not.
        """
        excluded = local.text(self._place.shared / "info" / "exclude", _FILE_MAX)
        if excluded is not None:
            (self._home / "git" / "info").mkdir()
            (self._home / "git" / "info" / "exclude").write_text(excluded)
        output = self._git(
            "status",
            "--porcelain",
            "-z",
            "--ignore-submodules=all",
            "--no-renames",
            GIT_INDEX_FILE=str(self._place.own / "index"),
            GIT_WORK_TREE=str(path.resolve()),
        )
        return None if output is None else output != b""

    def is_ahead(self) -> bool | None:
        """Has the commit ancestors, or is itself one, that no branch of a remote has?"""
        tips = local.oids_under(self._place, "refs/remotes/", _TIPS_MAX)
        if tips is None:
            return None
        if self._commit in tips or not tips:
            return not tips
        revisions = "\n".join([self._commit, *(f"^{tip}" for tip in sorted(tips))])
        output = self._git(
            "rev-list", "--max-count=1", "--ignore-missing", "--stdin", stdin=revisions
        )
        return None if output is None else output != b""

    def _git(self, *arguments: str, stdin: str = "", **environment: str) -> bytes | None:
        try:
            return git.run(
                arguments,
                home=self._home,
                environment={**self._environment, **environment},
                config=_ASKED,
                limits=_LIMITS,
                stdin=stdin.encode(),
            ).strip()
        except git.GitError:
            return None


_ASKED: Mapping[str, str] = {"core.symlinks": "true"}
"""Links of a work tree are links there; nothing is written through them."""
