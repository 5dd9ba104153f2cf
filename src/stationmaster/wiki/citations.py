"""Citations of stored pages, made addresses of the commit's host.

A stored page cites `` [`src/a.py:3-9`](source:src/a.py#L3-L9) ``: neither the commit nor the host
is in it, so that commits that change neither leave it as it is.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from stationmaster.errors import BadRequest
from stationmaster.repos import addresses
from stationmaster.wiki import markdown
from stationmaster.wiki.text.inline import Place

SCHEME = "source:"
"""Of a citation's address in a stored page."""
_MARK = f"]({SCHEME}"
_CITATION = re.compile(
    r"\[(?P<words>(?P<ticks>`{1,20}+)(?:(?!(?<!`)(?P=ticks)(?!`)).){1,600}+(?P=ticks)(?!`))\]"
    r"\(source:(?P<path>[\w.~%/-]{1,4000})(?:#L(?P<line>\d{1,9})(?:-L(?P<end>\d{1,9}))?)?\)",
    re.ASCII,
)
_NUMBERS = ("line", "end", "after")


class _Style(NamedTuple):
    """How hosts of a kind address a file at a commit, one of its lines, and several of them."""

    file: str
    line: str
    lines: str
    commit: str = "{base}/commit/{commit}"


_STYLES = {
    "github": _Style("{base}/blob/{commit}/{path}", "#L{line}", "#L{line}-L{end}"),
    "gitlab": _Style("{base}/-/blob/{commit}/{path}", "#L{line}", "#L{line}-{end}",
                     "{base}/-/commit/{commit}"),
    "gitea": _Style("{base}/src/commit/{commit}/{path}", "#L{line}", "#L{line}-L{end}"),
    "bitbucket": _Style("{base}/src/{commit}/{path}", "#lines-{line}", "#lines-{line}:{end}",
                        "{base}/commits/{commit}"),
    "sourcehut": _Style("{base}/tree/{commit}/item/{path}", "#L{line}", "#L{line}-{end}"),
    # A range goes up to a column: the first one of the line after it.
    "azure": _Style(
        "{base}?path=/{path}&version=GC{commit}",
        "&line={line}&lineEnd={after}&lineStartColumn=1&lineEndColumn=1&lineStyle=plain&_a=contents",
        "&line={line}&lineEnd={after}&lineStartColumn=1&lineEndColumn=1&lineStyle=plain&_a=contents",
    ),
}  # fmt: skip
_HOSTS = {
    "github.com": "github",
    "gitlab.com": "gitlab",
    "codeberg.org": "gitea",
    "gitea.com": "gitea",
    "bitbucket.org": "bitbucket",
    "git.sr.ht": "sourcehut",
    "dev.azure.com": "azure",
}
_NAMED = {"github": "github", "gitlab": "gitlab", "gitea": "gitea", "forgejo": "gitea"}
"""What a host is by a part of its name: `gitlab.example.org`."""
_AZURE_SSH = re.compile(r"https://ssh\.dev\.azure\.com/v3/([^/]+)/([^/]+)/([^/]+)")


class Host(NamedTuple):
    """A repository on a host whose addresses are known, at one commit."""

    base: str
    style: _Style
    commit: str

    def address(self, path: str, line: int | None, end: int | None) -> str:
        """Of a file, its path quoted as in addresses, or of lines of it."""
        last = max(end or 0, line or 0)
        form = self.style.file
        if line is not None:
            form += self.style.lines if last > line else self.style.line
        return form.format(
            base=self.base, commit=self.commit, path=path, line=line, end=last, after=last + 1
        )

    def cited(self, address: str) -> Place | None:
        """What an address of this host and commit cites; None where it cites nothing."""
        for lines in (self.style.lines, self.style.line, ""):
            match = _reading(self.style.file + lines, self.base, self.commit).fullmatch(address)
            if match is not None:
                numbers = {
                    name: int(value)
                    for name, value in match.groupdict().items()
                    if name in _NUMBERS
                }
                end = numbers["after"] - 1 if "after" in numbers else numbers.get("end")
                return Place(unquote(match["path"]), numbers.get("line"), end)
        return None

    def commit_address(self) -> str:
        return self.style.commit.format(base=self.base, commit=self.commit)


class FilePages(NamedTuple):
    """The pages of this installation that show the files of a repository at one commit."""

    prefix: str
    """`/repositories/ID/files`."""
    commit: str

    def address(self, path: str, line: int | None, end: int | None) -> str:
        """Of a file, its path quoted as in addresses, or of lines of it."""
        query = f"commit={self.commit}&path={quote(unquote(path), safe='')}"
        if line is not None:
            query += f"&lines={line}" + (f"-{end}" if end and end > line else "")
        return f"{self.prefix}?{query}"


def host(url: str | None, commit: str) -> Host | None:
    """Where the files of a commit can be read; None where the form of addresses is unknown."""
    try:
        base = addresses.normalise(url or "")
    except BadRequest:
        return None
    if (ssh := _AZURE_SSH.fullmatch(base)) is not None:
        base = f"https://dev.azure.com/{ssh[1]}/{ssh[2]}/_git/{ssh[3]}"
    name = urlsplit(base).hostname or ""
    kind = _HOSTS.get(name) or next(
        (_NAMED[part] for part in name.split(".") if part in _NAMED), None
    )
    if name.endswith(".visualstudio.com"):
        kind = "azure"
    return None if kind is None else Host(base, _STYLES[kind], commit)


def expand(body: str, at: Host | FilePages | None) -> str:
    """A stored page with addresses of the host, or with bare code where there is none."""
    if _MARK not in body:
        return body

    def address_of(match: re.Match[str]) -> str:
        if at is None:
            return match["words"]
        line, end = (int(digits) if digits else None for digits in match.group("line", "end"))
        return f"[{match['words']}]({at.address(match['path'], line, end)})"

    lines = body.split("\n")
    fenced = markdown.fenced(lines)
    for number, line in enumerate(lines):
        if _MARK in line and not fenced[number]:
            lines[number] = _CITATION.sub(address_of, line)
    return "\n".join(lines)


@lru_cache(16)
def _reading(form: str, base: str, commit: str) -> re.Pattern[str]:
    """What `Host.address` makes of a form, read backwards."""
    parts = {"base": re.escape(base), "commit": re.escape(commit), "path": r"(?P<path>[^?#&]+)"}
    parts |= {name: rf"(?P<{name}>\d{{1,9}})" for name in _NUMBERS}
    # The form is in pieces: text, name, text, name, …
    pieces = re.split(r"\{(\w+)\}", form)
    expressions = (parts[piece] if at % 2 else re.escape(piece) for at, piece in enumerate(pieces))
    return re.compile("".join(expressions))
