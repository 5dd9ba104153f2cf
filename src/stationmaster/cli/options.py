"""Options that several commands share, so that each has one name, one help text, one meaning: the
settings and the place that they stand for, the question that `--yes` answers, and whether what they
name can be written; and errors in the words of the command line, the option that was typed and not
the field of the API."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated, NamedTuple
from urllib.parse import urlsplit

import msgspec
import typer

from stationmaster import clock, settings
from stationmaster.client import server
from stationmaster.errors import BadRequest, OperatorError, StationmasterError, did_you_mean
from stationmaster.settings import Settings

if TYPE_CHECKING:
    from stationmaster.access.model import Caller
    from stationmaster.cli.api import Api
    from stationmaster.db.engine import Database


def confirm(question: str, yes: bool, *, or_fail: bool = False) -> None:
    """Return when a person at a terminal agrees, or with `yes`; typer.Abort where they do not.

    A script without a terminal is not asked; with `or_fail` it has to say --yes (BadRequest).
    """
    if yes:
        return
    if sys.stdin.isatty():
        typer.confirm(question, abort=True, err=True)
    elif or_fail:
        raise BadRequest("there is no terminal to ask in: add --yes", code="no_terminal")


DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", help="The data folder.", show_default=False),
]
Org = Annotated[
    str | None,
    typer.Option("--org", help="Name or id of the organization; needed when there are several."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
Url = Annotated[
    str | None, typer.Option("--url", help="A server's address instead of a local data folder.")
]
Limit = Annotated[int, typer.Option(help="How many.", min=1)]
Host = Annotated[str | None, typer.Option(help="Address to listen on.", show_default=False)]
Port = Annotated[int | None, typer.Option(help="Port to listen on.", show_default=False)]
Wide = Annotated[bool, typer.Option("--wide", help="Show all columns.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]
Key = Annotated[
    str | None,
    typer.Option(
        "--key",
        help="An API key for --url. STATIONMASTER_KEY keeps it out of lists of processes.",
    ),
]

PLACES = {
    "place": {"data_dir": DataDir, "org": Org},
    "connection": {"data_dir": DataDir, "org": Org, "url": Url, "key": Key},
}
"""Those of `OrganizationFolder` and of `Connection`, by their fields."""


def configure(data_dir: Path | None = None, **flags: object) -> Settings:
    """The settings of this run of the program; a flag that is None was not given."""
    made = settings.load({"data_dir": data_dir, **flags})
    clock.freeze(made.now)
    if made.url is not None:
        check_address(made.url)
    if made.key is not None:
        check_key(made.key)
    return made


def check_address(url: str, option: str = "--url (or STATIONMASTER_URL)") -> None:
    """Raise BadRequest for what cannot be a server's address."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_address = is_address and (parts.port is None or parts.port > 0)
        # A key in the address would end in logs, and the server would not read it.
        is_address = is_address and parts.username is None
    except ValueError:
        is_address = False
    if not is_address or not url.isprintable() or " " in url:
        raise BadRequest(
            f"{option} takes a server's address such as https://stationmaster.example.com, "
            f"not '{url}'",
            code="bad_url",
        )


def check_key(key: str) -> None:
    """Raise BadRequest, which does not quote it, for what no header field can carry."""
    if not key.isascii() or not key.isprintable() or not key or " " in key:
        raise BadRequest(
            "--key (or STATIONMASTER_KEY) is not one API key: it is empty, or has spaces, line "
            "breaks or letters that no key has",
            code="bad_key",
        )


class OrganizationFolder(NamedTuple):
    """An organization of a local data folder.

    A command with a parameter `place` has the options of these names (`groups.App`).
    """

    data_dir: Path | None = None
    org: str | None = None

    def settings(self) -> Settings:
        """The settings with these options."""
        return configure(self.data_dir)

    @contextmanager
    def opened(self) -> Iterator[tuple[Database, Caller]]:
        """The state database, and the owner in whose name a command of this machine works."""
        # Servers' clients have no databases.
        from stationmaster.access import operator
        from stationmaster.cli import folder

        with folder.tenant(self.settings(), self.org) as (db, org_id):
            yield db, operator.owner(db, org_id)


class Connection(NamedTuple):
    """Where a command works: on a server, or without a `url` in a local data folder.

    A command with a parameter `connection` has the options of these names (`groups.App`).
    """

    data_dir: Path | None = None
    org: str | None = None
    url: str | None = None
    key: str | None = None

    def settings(self) -> Settings:
        """The settings with these options. Raises BadRequest for an impossible address or key."""
        return configure(self.data_dir, url=self.url, key=self.key)

    def api(self) -> Api:
        """The API there; where there is neither an address nor such a folder, that of the server
        that this person's agents send to."""
        # A command that does not use the server does not load HTTP.
        from stationmaster.cli.api import Api

        made = self.settings()
        if made.url is None and made.data_dir == Settings().data_dir and not made.data_dir.exists():
            remembered = server.load(made.client_dir)
            if remembered is not None:
                made = msgspec.structs.replace(made, url=remembered.url)
        return Api(made, self.org)


def check_file(option: str, path: Path | None) -> None:
    """Raise OperatorError where no file can be written at a path; nothing stays behind."""
    if path is None:
        return
    is_new = not path.exists()
    try:
        with path.open("ab"):
            pass
        if is_new:
            path.unlink()
    except OSError as fault:
        raise _refused(option, path, fault) from fault


def check_folder(option: str, path: Path) -> None:
    """The same for a folder, which is made where it is missing, and taken away again."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=path):
            pass
    except OSError as fault:
        raise _refused(option, path, fault) from fault
    finally:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()


def _refused(option: str, path: Path, fault: OSError) -> OperatorError:
    return OperatorError(
        f"{option} {path} cannot be written: {fault.strerror or fault}", code="not_writable"
    )


_TYPED: dict[str, str] = {
    "startDate": "--from",
    "endDate": "--to",
    "repoId": "--repository",
    "remoteUser": "--user",
    "eventType": "--type",
    "globalLimit": "CREDITS",
    "mode": "MODE",
    "name": "NAME",
    "url": "URL",
    "into": "PERSON",
    **{
        field: f"--{field.replace('_', '-')}"
        for field in (
            *("agent", "cursor", "day", "days", "group_by", "kind", "limit", "minimum"),
            *("model", "repository", "role", "state", "subject", "team", "user"),
        )
    },
}
"""What commands call the fields of requests: options, and arguments in capitals. Fields that a file
may hold keep their names."""


def choice(option: str, text: str, words: Collection[str]) -> str:
    """The text, which is one of the words. Raises BadRequest with the nearest of them."""
    if text in words:
        return text
    raise BadRequest(
        f"{option} is one of {', '.join(words)}, not '{text}'.{did_you_mean(text, words)}",
        code="bad_choice",
    )


def renamed(fault: StationmasterError, own: Mapping[str, str] = {}) -> StationmasterError:
    """The error with each of its fields called as commands call it; `own` are a command's own."""
    detail = fault.detail
    for field in _fields(fault.metadata.get("errors")):
        name = {**_TYPED, **own}.get(field.rpartition(".")[2])
        if name is not None:
            detail = re.sub(rf"(?<![\w.-]){re.escape(field)}(?![\w-])", name, detail)
    fault.detail, fault.args = detail, (detail,)
    return fault


def _fields(errors: object) -> Iterable[str]:
    for error in errors if isinstance(errors, list) else ():
        if isinstance(error, dict) and isinstance(error.get("field"), str) and error["field"]:
            yield error["field"]
