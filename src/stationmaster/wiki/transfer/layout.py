"""A wiki as files: the pages and images where they are, and next to them `wiki.json`.

    wiki.json               {"format": 1, "repoUrl": …, "commitHash": …, …, "pages": [file, …]}
    index.md
    overview/index.md       the page of the section `overview`
    overview/architecture.md
    images/flow.png

`pages` lists files in reading order; pages that it leaves out follow by path, `index.md` first.
Everything in it is optional. A run that is written, read and written again gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

import msgspec

from stationmaster.errors import BadRequest
from stationmaster.wiki import citations, model, tree
from stationmaster.wiki.model import Asset, Origin, Page, Run, Upload, UploadedAsset, UploadedPage
from stationmaster.wiki.transfer import archives, images, names
from stationmaster.wiki.transfer.archives import Entry
from stationmaster.wiki.transfer.names import shown

MANIFEST = "wiki.json"
_ROOT = "index.md"
_MANIFEST_BYTES_MAX = 2**20
INDEXES = frozenset({"llms.txt", "llms-full.txt"})
"""Files of a folder that programs read; an upload may have them, and they are not stored."""
_FORMAT = 1
_SHORT = 7
_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")


class Manifest(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True
):
    format: int = _FORMAT
    repo_url: str | None = None
    commit_hash: str | None = None
    branch: str | None = None
    has_local_changes: bool | None = None
    has_non_remote_commits: bool | None = None
    model_id: str | None = None
    reasoning_effort: str | None = None
    agent_version: str | None = None
    source_session_id: str | None = None
    pages: list[str] = []


_ORIGIN = Origin.__struct_fields__


def read(data: bytes, origin: dict[str, Any], privacy_level: model.PrivacyLevel) -> Upload:
    """The wiki in an archive. Members of its origin in `given` win over the manifest's.

    Raises BadRequest that names what is wrong, for any archive at all.
    """
    manifest = Manifest()
    texts: dict[str, str] = {}
    assets: list[UploadedAsset] = []
    for name, content in archives.unpack(data, _size_max, model.CONTENT_BYTES_MAX):
        if name in INDEXES:
            # Made from the pages whenever they are read.
            continue
        if name == MANIFEST:
            manifest = manifest_of(content)
        elif images.ending_of(name) is not None:
            assets.append(UploadedAsset(name, content))
        elif name in texts:
            raise BadRequest(f"The archive has {shown(name)} twice.", code="invalid_archive")
        else:
            texts[name] = _text(name, content)
    return Upload(
        origin=origin_of(manifest, origin),
        pages=_ordered(texts, manifest.pages),
        assets=assets,
        privacy_level=privacy_level,
    )


def write(
    run: Run, pages: Iterable[Page], assets: Iterable[Asset], body: Callable[[bytes], bytes]
) -> bytes:
    """The archive of a run; `body` gives a content by its digest.

    Citations are addresses of the commit's host in it.
    """
    ordered = tree.in_order(pages)
    origin = {name: getattr(run.origin, name) for name in _ORIGIN}
    manifest = Manifest(**origin, pages=[page.file for page in ordered])
    head = encoded(manifest)
    host = citations.host(run.origin.repo_url, run.origin.commit_hash or "")

    def page(digest: bytes) -> bytes:
        return citations.expand(body(digest).decode(), host).encode()

    files: list[tuple[str, bytes, Callable[[bytes], bytes]]] = [
        *((image.file, image.digest, page) for image in ordered),
        *((asset.path, asset.digest, body) for asset in assets),
    ]
    files.sort(key=lambda item: item[0])
    contents = (Entry(file, content(digest)) for file, digest, content in files)
    return archives.pack(chain([Entry(MANIFEST, head)], contents))


def encoded(manifest: Manifest) -> bytes:
    """`wiki.json` as it is written."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"


def archive_name(origin: Origin) -> str:
    """A file name from the repository and the short commit, of plain letters."""
    path = urlsplit(origin.repo_url).path
    repository = _PLAIN.sub("-", "-".join(path.split("/")[-2:])).strip("-.") or "repository"
    commit = f"-{origin.commit_hash[:_SHORT]}" if origin.commit_hash else ""
    return f"{repository[:100]}-wiki{commit}.zip"


def _size_max(name: str) -> int:
    """How large a file of an archive may be. Raises BadRequest for one that no wiki has."""
    if name == MANIFEST:
        return _MANIFEST_BYTES_MAX
    if images.ending_of(name) is not None:
        return model.ASSET_BYTES_MAX
    if name.lower().endswith(".md"):
        return model.PAGE_BYTES_MAX
    if name in INDEXES:
        return model.CONTENT_BYTES_MAX
    raise BadRequest(
        f"The archive has a file {shown(name)}, which is neither a page (.md), nor a PNG, JPEG, "
        f"GIF or WebP image, nor {MANIFEST}.",
        code="invalid_archive",
    )


def manifest_of(content: bytes) -> Manifest:
    """The manifest in `wiki.json`. Raises BadRequest."""
    try:
        manifest = msgspec.json.decode(content, type=Manifest)
    except (msgspec.DecodeError, RecursionError) as fault:
        raise BadRequest(f"{MANIFEST}: {fault}.", code="invalid_manifest") from fault
    if manifest.format != _FORMAT:
        raise BadRequest(
            f"{MANIFEST} has the format {manifest.format}; this version reads {_FORMAT}.",
            code="invalid_manifest",
        )
    return manifest


def origin_of(manifest: Manifest, origin: dict[str, Any]) -> Origin:
    """The members of a manifest; those in `given` win. Raises BadRequest."""
    values = {name: getattr(manifest, name) for name in _ORIGIN}
    values |= {name: value for name, value in origin.items() if value is not None}
    if values["repo_url"] is None:
        raise BadRequest(
            "The repository of this wiki is not named: add its address (repoUrl, --repo), or name"
            f" it in {MANIFEST}.",
            code="missing_repository",
        )
    return Origin(**values)


def _ordered(texts: dict[str, str], listed: list[str]) -> list[UploadedPage]:
    places: dict[str, int] = {}
    for file in listed:
        name = names.checked(file)
        if name not in texts:
            raise BadRequest(
                f"{MANIFEST} lists the page {shown(name)}, which is not there.",
                code="invalid_manifest",
            )
        places.setdefault(name, len(places))
    unlisted = sorted(texts.keys() - places, key=lambda name: (name.lower() != _ROOT, name))
    rest = enumerate(unlisted, start=len(places))
    places |= {name: place for place, name in rest}
    return [UploadedPage(name, text, order=places[name]) for name, text in texts.items()]


def _text(name: str, content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as fault:
        raise BadRequest(f"The page {shown(name)} is not UTF-8.", code="invalid_page") from fault
