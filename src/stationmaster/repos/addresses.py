"""One repository, many spellings of its address: all of them made one.

Source: docs/repositories.md. The scheme becomes https, the host is in lower case, user names,
passwords, default and SSH ports, a trailing slash and `.git` are dropped. The path keeps its case,
since only some hosts ignore it.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote, urlsplit

from stationmaster import ids
from stationmaster.errors import BadRequest
from stationmaster.ids import OrgId, RepoId

LENGTH_MAX = 1_000
_SCHEMES = {"https": 443, "http": 80, "ssh": None, "git+ssh": None, "ssh+git": None, "git": 9418}
"""Known schemes with their default port. An SSH port is never a web port."""
_SCP = re.compile(r"(?:[^/@:\s]+@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[^/@:\s\[\]]+):(?P<path>.+)")
_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f\\]")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\]")


def normalise(text: str) -> str:
    """The one address of a repository: `https://host[:port]/path`. Raises BadRequest.

    Takes http, https, ssh and git URLs and the scp form `user@host:path`.
    """
    address = text.strip()
    if not 0 < len(address) <= LENGTH_MAX or _UNPRINTABLE.search(address):
        raise _invalid()
    if "://" not in address:
        scp = _SCP.fullmatch(address)
        if scp is None:
            raise _invalid()
        return _joined(scp["host"], None, scp["path"])
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as fault:
        raise _invalid() from fault
    scheme = parts.scheme.lower()
    if scheme not in _SCHEMES or parts.query or parts.fragment:
        raise _invalid()
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    silent = _SCHEMES[scheme]
    return _joined(host, None if silent is None or port == silent else port, parts.path)


def id_of(org: OrgId, text: str) -> RepoId:
    """The identifier of the repository at an address, registered or not. Raises BadRequest."""
    return ids.repository_of_url(org, normalise(text))


def _joined(host: str, port: int | None, path: str) -> str:
    host = host.lower().rstrip(".")
    steps = [unquote(step) for step in path.split("/") if step]
    if steps and steps[-1].lower().endswith(".git") and len(steps[-1]) > len(".git"):
        steps[-1] = steps[-1][: -len(".git")]
    is_plain = all(
        step.isprintable() and step not in (".", "..") and not {"/", "\\"} & set(step)
        for step in steps
    )
    if not steps or not is_plain or _HOST.fullmatch(host) is None:
        raise _invalid()
    place = host if port is None else f"{host}:{port}"
    return f"https://{place}/{'/'.join(quote(step, safe='~@:+,!$()*;=') for step in steps)}"


def _invalid() -> BadRequest:
    return BadRequest(
        "This is not a repository address; write it like https://host/owner/name.",
        code="invalid_repository_url",
    )
