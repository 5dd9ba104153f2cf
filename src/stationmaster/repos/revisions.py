"""Names of commits beyond branches, tags and full hashes: short hashes, and steps back such as
`HEAD~2` or `v1.0^`.

git counts the steps, in a private folder that borrows the repository's objects and nothing else.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from stationmaster.errors import BadRequest, NotFound
from stationmaster.repos import git, local
from stationmaster.repos.git import GitError, GitLimits
from stationmaster.repos.local import GitFolders

_STEPS = re.compile(r"(.+?)((?:[~^][0-9]{0,6}){1,20})")
_SHORT = re.compile(r"[0-9a-f]{4,63}")
_LIMITS = GitLimits(wall_s=30)


def named(place: GitFolders, ref: str | None) -> tuple[str, str | None]:
    """The object that a name means, and the branch if it is one; None is what is checked out.

    Raises BadRequest for what is no name, NotFound.
    """
    if ref in (None, "HEAD"):
        return local.resolve(place, None)
    assert ref is not None
    if (stepped := _STEPS.fullmatch(ref)) is not None:
        start, branch = named(place, stepped[1])
        return _commit(place, start, f"{start}{stepped[2]}", ref), branch
    try:
        return local.resolve(place, ref)
    except NotFound:
        if _SHORT.fullmatch(ref) is None:
            raise
    head, _ = local.resolve(place, None)
    return _commit(place, head, ref, ref), None


def _commit(place: GitFolders, objects: str, revision: str, asked: str) -> str:
    """The hash of a revision; `known` is one of the repository's hashes, for their length."""
    with tempfile.TemporaryDirectory(prefix="stationmaster-git-") as home:
        shared = place.shared
        environment = git.borrow(
            Path(home) / "git", objects, shared / "objects", shared / "shallow"
        )
        try:
            output = git.run(
                ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"),
                home=Path(home),
                environment=environment,
                limits=_LIMITS,
            )
        except GitError as fault:
            raise NotFound(
                f"There is no branch, tag or commit '{asked}', or more than one.", code="no_ref"
            ) from fault
    oid = output.decode("ascii", errors="replace").strip()
    if not local.is_oid(oid):
        raise BadRequest(f"'{asked}' does not name one commit.", code="invalid_ref")
    return oid
