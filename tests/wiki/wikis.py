"""Small wikis, whole and broken, and who reads them."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable
from io import BytesIO
from typing import Any

from stationmaster.access.model import Caller, Role
from stationmaster.db.engine import Database
from stationmaster.ids import KeyId, OrgId
from stationmaster.wiki import service
from stationmaster.wiki.model import Origin, Run, Upload, UploadedAsset, UploadedPage
from tests.support.builders import a_member

REPO = "https://git.example.com/acme/engine"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
FILES: dict[str, bytes] = {
    "index.md": b"# Engine\n\nHow the engine works.\n",
    "overview/index.md": b"# Overview\n\nSee [the parts](architecture.md).\n",
    "overview/architecture.md": b"# Architecture\n\n## Request path\n\nA `parseHttpUrl` call.\n",
    "guides/set-up.md": "# Set up\n\n![flow](../images/flow.png) Grüße.\n".encode(),
    "images/flow.png": PNG,
}


def a_caller(db: Database, org: OrgId, name: str = "ada", role: Role = "member") -> Caller:
    """A member of an organization, as one who asks."""
    member = a_member(db, org, f"{name}@example.com", role)
    return Caller(org, "human", member.user_id, member.email, role, KeyId("key_test"), "full")


def an_upload(
    pages: dict[str, str] | None = None, assets: dict[str, bytes] | None = None, **told: Any
) -> Upload:
    """A wiki of the files given, or of FILES; `told` are members of its origin or the privacy."""
    if pages is None:
        pages = {name: body.decode() for name, body in FILES.items() if name.endswith(".md")}
    privacy = told.pop("privacy_level", "organization")
    return Upload(
        origin=Origin(**{"repo_url": REPO, **told}),
        pages=[UploadedPage(name, text) for name, text in pages.items()],
        assets=[UploadedAsset(name, content) for name, content in (assets or {}).items()],
        privacy_level=privacy,
    )


def a_run(db: Database, caller: Caller, pages: dict[str, str] | None = None, **told: Any) -> Run:
    return service.create(db, caller, an_upload(pages, **told))


def zipped(
    files: dict[str, bytes], change: Callable[[zipfile.ZipInfo], None] | None = None
) -> bytes:
    """An archive as any other program would make it; `change` alters what it says of an entry."""
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, (2026, 11, 21, 12, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o040755 if name.endswith("/") else 0o100644) << 16
            if change is not None:
                change(info)
            archive.writestr(info, content)
    return target.getvalue()


def patched(archive: bytes, place: int, form: str, value: int) -> bytes:
    """An archive whose first central directory entry says something else at a place."""
    start = archive.index(b"PK\x01\x02") + place
    size = struct.calcsize(form)
    return archive[:start] + struct.pack(form, value) + archive[start + size :]
