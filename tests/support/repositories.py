"""Real git repositories of any content, made without a work tree."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from stationmaster.ids import OrgId, RepoId
from stationmaster.repos import mirrors
from stationmaster.settings import Settings

Content = str | bytes | tuple[str, str | bytes] | None
"""A file's content, or its mode and content ("160000" takes a hash); None removes the file."""
SECONDS = 1_795_176_000


class Repository:
    """A repository in a folder; `branch` is what is checked out."""

    def __init__(self, path: Path, branch: str = "main", *options: str) -> None:
        self.path = path
        self.branch = branch
        path.mkdir(parents=True)
        self.git("init", "--quiet", f"--initial-branch={branch}", *options)

    def git(self, *arguments: str | bytes, stdin: bytes = b"") -> str:
        """What a git command prints, without the newline at its end."""
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.path),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@example.com",
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@example.com",
        }
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, env=env, input=stdin, capture_output=True
        )
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return done.stdout.decode(errors="replace").removesuffix("\n")

    def commit(
        self,
        files: Mapping[str, Content],
        *,
        branch: str | None = None,
        author: str = "Ada",
        at: int = SECONDS,
    ) -> str:
        """The hash of a new commit on a branch, with these changes to its files."""
        ref = f"refs/heads/{branch or self.branch}"
        who = f"{author} <secret-address@example.com> {at} +0100"
        parts = [f"commit {ref}\nauthor {who}\ncommitter {who}\ndata 6\nchange\n".encode()]
        if self._has(ref):
            parts.append(f"from {ref}^0\n".encode())
        parts += [_change(path, content) for path, content in files.items()]
        self.git("fast-import", "--quiet", "--force", stdin=b"".join(parts))
        return self.git("rev-parse", ref)

    def mirror(self, settings: Settings, org: OrgId, repo: RepoId) -> None:
        """Let a server have this as its copy of a registered repository."""
        place = mirrors._path(settings, org, repo)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(self.path)

    def commit_tree(self, *lines: bytes) -> str:
        """The hash of a commit of one raw tree, whose entries git itself would refuse to make."""
        tree = self.git("hash-object", "-t", "tree", "-w", "--stdin", "--literally",
                        stdin=b"".join(lines))  # fmt: skip
        commit = self.git("commit-tree", "-m", "raw", tree)
        self.git("update-ref", f"refs/heads/{self.branch}", commit)
        return commit

    def blob(self, content: bytes) -> str:
        """The hash of stored content."""
        return self.git("hash-object", "-w", "--stdin", stdin=content)

    def _has(self, ref: str) -> bool:
        return ref in self.git("for-each-ref", "--format=%(refname)").split("\n")


def raw_entry(mode: str, name: bytes, oid: str) -> bytes:
    """One entry of a tree for `commit_tree`."""
    return mode.encode() + b" " + name + b"\0" + bytes.fromhex(oid)


def _change(path: str, content: Content) -> bytes:
    quoted = "".join(f"\\{byte:03o}" for byte in os.fsencode(path))
    if content is None:
        return f'D "{quoted}"\n'.encode()
    mode, data = content if isinstance(content, tuple) else ("100644", content)
    data = data.encode() if isinstance(data, str) else data
    if mode == "160000":
        return f'M {mode} {data.decode()} "{quoted}"\n'.encode()
    return f'M {mode} inline "{quoted}"\ndata {len(data)}\n'.encode() + data + b"\n"
