"""The program for laptops: a page that explains how to install it, the wheel that is installed, and
the lines that install it and make an agent report.

Page and wheel are public, because a person who installs it has no account yet; neither contains
anything of an organization. The wheel is made of the installation that is running, so laptops
install exactly the version of their server; it requires no extras, so that is the light base.
"""

from __future__ import annotations

import base64
import io
import shlex
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib import resources
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.resources.abc import Traversable
from threading import Lock
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.client.server import Server
from stationmaster.client.settings import telemetry as agent_settings
from stationmaster.errors import NotFound
from stationmaster.web.frame.pages import Visit, page, router
from stationmaster.web.frame.requests import visited_address

_NAME = "stationmaster"
_TAG = "py3-none-any"
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip archive can carry: its files have no time of their own."""
_MODE = 0o100644 << 16
_LEVEL = 9


@dataclass(frozen=True)
class Wheel:
    """A file name and its bytes, as the specification of wheels wants both."""

    name: str
    content: bytes

    @property
    def etag(self) -> str:
        """Half of the SHA-256 of the bytes, in hex and quotes."""
        return f'"{sha256(self.content).hexdigest()[:32]}"'


class Builder:
    """Makes the wheel when it is first asked for, once in a process."""

    def __init__(self) -> None:
        self._lock = Lock()

    def wheel(self) -> Wheel:
        """Raises NotFound where the program runs from files that were never installed."""
        with self._lock:
            return self._wheel

    @cached_property
    def _wheel(self) -> Wheel:
        try:
            installed = distribution(_NAME)
        except PackageNotFoundError as fault:
            raise NotFound("This server was not installed as a package.") from fault
        stem = f"{_NAME}-{installed.version}"
        files = dict(_package(resources.files(_NAME), _NAME))
        files |= _dist_info(installed, f"{stem}.dist-info")
        return Wheel(f"{stem}-{_TAG}.whl", _archive(files, f"{stem}.dist-info/RECORD"))


def _package(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    """Everything of a package but what Python has compiled, by its path in the archive."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_file():
            yield f"{path}/{entry.name}", entry.read_bytes()
        elif entry.name != "__pycache__":
            yield from _package(entry, f"{path}/{entry.name}")


def _dist_info(installed: Distribution, folder: str) -> dict[str, bytes]:
    """The metadata of a wheel; what an installer added to it is left out."""
    wheel = f"Wheel-Version: 1.0\nGenerator: {_NAME}\nRoot-Is-Purelib: true\nTag: {_TAG}\n"
    files = {f"{folder}/WHEEL": wheel.encode()}
    names = ["METADATA", "entry_points.txt"]
    names += [f"licenses/{n}" for n in installed.metadata.get_all("License-File") or []]
    for name in names:
        if (text := installed.read_text(name)) is not None:
            files[f"{folder}/{name}"] = text.encode()
    return files


def _archive(files: dict[str, bytes], record: str) -> bytes:
    lines = [f"{path},sha256={_digest(content)},{len(content)}" for path, content in files.items()]
    files = files | {record: "\n".join([*lines, f"{record},,", ""]).encode()}
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as file:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, _EPOCH)
            entry.external_attr = _MODE
            entry.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(entry, content, compresslevel=_LEVEL)
    return archive.getvalue()


def _digest(content: bytes) -> str:
    """As RECORD writes it: base64 for addresses, without padding."""
    return base64.urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()


_CACHED = "public, max-age=300"

routes = router()
_builder = Builder()


@routes.get("/install")
def show_install(request: Request) -> Response:
    server = visited_address(request)
    return page("install.html", None, request, server=server, wheel=_builder.wheel())


@routes.api_route("/install/{name}", methods=["GET", "HEAD"])
def download(request: Request, name: str) -> Response:
    """The wheel under its own file name, by which installers know what it is."""
    wheel = _builder.wheel()
    if name != wheel.name:
        raise NotFound(f"There is no such file; the wheel of this version is {wheel.name}.")
    headers = {"ETag": wheel.etag, "Cache-Control": _CACHED}
    if request.headers.get("if-none-match") == wheel.etag:
        return Response(status_code=304, headers=headers)
    return Response(wheel.content, media_type="application/octet-stream", headers=headers)


def wheel_address(request: Request) -> str:
    """Where laptops download the program."""
    return f"{visited_address(request)}/install/{_builder.wheel().name}"


class Lines(NamedTuple):
    """What to paste: `where` is the place, `text` may contain the key."""

    where: str
    text: str


def connecting(visit: Visit, agent: str, way: str, key: str) -> tuple[list[Lines], str]:
    """What to paste for an agent to report here with a key from one of its places, and a remark."""
    server = Server(visit.address, key)
    lines = _lines(agent, way, server, wheel_address(visit.request))
    if agent not in agent_settings.products():
        return lines, ""
    return lines, agent_settings.recipe_of(agent, server).remark


def _lines(agent: str, way: str, server: Server, wheel: str) -> list[Lines]:
    url = shlex.quote(server.url)
    setup = _setup(agent)
    if way == "laptop":
        text = f"uv tool install --force {wheel} && {setup} --url {url} --key {server.key}"
        return [
            Lines("In a terminal on your computer", text),
            Lines(
                "Then, to send earlier sessions as well",
                f"stationmaster collect --url {url}",
            ),
        ]
    if way == "ci":
        step = (
            f"- run: uvx --from {wheel} {setup} --url {url}\n"
            "  env:\n"
            "    STATIONMASTER_KEY: ${{ secrets.STATIONMASTER_KEY }}\n"
        )
        return [
            Lines("Store this as the secret STATIONMASTER_KEY of the repository", server.key),
            Lines("The step before the agent's, here for GitHub Actions", step),
        ]
    return _managed(agent, server, wheel)


def _setup(agent: str) -> str:
    """The command that makes an agent report."""
    if agent in agent_settings.products():
        return f"stationmaster agents setup {agent} --apply"
    return f"stationmaster hooks install {agent}"


def _managed(agent: str, server: Server, wheel: str) -> list[Lines]:
    """Settings for software distribution, which puts them on every computer."""
    if agent not in agent_settings.products():
        command = f"{_setup(agent)} --url {shlex.quote(server.url)} --key {server.key}"
        return [
            Lines("On every computer, the program", f"uv tool install {wheel}"),
            Lines("On every computer, as the person who uses it", command),
        ]
    recipe = agent_settings.recipe_of(agent, server)
    lines = [
        Lines(
            f"In the agent’s managed settings, or in ~/{file.path} of each person",
            agent_settings.text_of(file),
        )
        for file in recipe.files
    ]
    if recipe.environment:
        lines.append(
            Lines("In the environment of each person", agent_settings.exports(recipe).strip())
        )
    return lines
