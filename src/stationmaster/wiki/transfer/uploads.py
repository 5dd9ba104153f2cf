"""From an upload to a wiki that may be stored: everything is checked before anything is.

Each refusal is a BadRequest that names the file.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from stationmaster import ids
from stationmaster.errors import BadRequest
from stationmaster.repos import addresses
from stationmaster.wiki import markdown, model
from stationmaster.wiki.model import Asset, Origin, Page, Upload, UploadedAsset, UploadedPage
from stationmaster.wiki.transfer import images, names
from stationmaster.wiki.transfer.names import shown

WORD_MAX = 255
"""Characters of a branch, a model, a version or a session."""
COMMIT_MAX = 64
_COMMIT = re.compile(rf"[0-9a-f]{{7,{COMMIT_MAX}}}")
_MARK = "\ufeff"
"""What some editors put before a text; it is no part of it."""


class Checked(NamedTuple):
    """A wiki that may be stored; `bodies` are the contents by digest."""

    origin: Origin
    pages: list[Page]
    assets: list[Asset]
    bodies: dict[bytes, bytes]

    @property
    def texts(self) -> dict[str, str]:
        """Pages by file."""
        return {page.file: self.bodies[page.digest].decode() for page in self.pages}

    @property
    def images(self) -> list[str]:
        return [asset.path for asset in self.assets]


def check(upload: Upload) -> Checked:
    """The same wiki in one form. Raises BadRequest."""
    _check_counts(upload)
    bodies: dict[bytes, bytes] = {}
    pages = [_page(page, place, bodies) for place, page in enumerate(upload.pages)]
    assets = [_asset(asset, bodies) for asset in upload.assets]
    if sum(map(len, bodies.values())) > model.CONTENT_BYTES_MAX:
        raise BadRequest(
            f"The wiki holds more than {model.CONTENT_BYTES_MAX} bytes.", code="wiki_too_large"
        )
    names.check_unique([*(page.file for page in pages), *(asset.path for asset in assets)])
    _check_paths(pages)
    return Checked(_origin(upload.origin), pages, assets, bodies)


def _check_counts(upload: Upload) -> None:
    if not 0 < len(upload.pages) <= model.PAGES_MAX:
        raise BadRequest(f"A wiki has 1 to {model.PAGES_MAX} pages.", code="page_count")
    if len(upload.assets) > model.ASSETS_MAX:
        raise BadRequest(f"A wiki has at most {model.ASSETS_MAX} images.", code="asset_count")


def _page(page: UploadedPage, place: int, bodies: dict[bytes, bytes]) -> Page:
    path, is_index = names.page_path(page.file)
    content, title = _titled(page)
    order = place if page.order is None else page.order
    body = content.encode()
    if len(body) > model.PAGE_BYTES_MAX:
        raise _invalid(page, f"is larger than {model.PAGE_BYTES_MAX} bytes")
    return Page(ids.page_of_path(path), path, title, order, is_index, _keep(body, bodies))


def _titled(page: UploadedPage) -> tuple[str, str]:
    """The content and the title of a page; its heading wins over the title of the upload."""
    content = page.content.removeprefix(_MARK)
    title = markdown.title_of(content)
    if title is None and page.title is not None:
        content = f"# {' '.join(page.title.split())}\n\n{content}"
        title = markdown.title_of(content)
    if "\0" in content or not _is_text(content):
        raise _invalid(page, "contains characters that are not text")
    if title is None:
        raise _invalid(page, "does not start with a level-1 heading (# Title)")
    return content, title


def _asset(asset: UploadedAsset, bodies: dict[bytes, bytes]) -> Asset:
    path = names.checked(asset.file)
    if len(asset.content) > model.ASSET_BYTES_MAX:
        raise BadRequest(
            f"The image {shown(path)} is larger than {model.ASSET_BYTES_MAX} bytes.",
            code="invalid_asset",
        )
    media_type = images.media_type(path, asset.content)
    return Asset(path, media_type, _keep(asset.content, bodies))


def _check_paths(pages: Iterable[Page]) -> None:
    """Refuse `a.md` next to `a/index.md`: both are the page `a`."""
    seen: set[str] = set()
    for page in pages:
        if page.path in seen:
            raise BadRequest(
                f"The page {shown(page.path)} occurs twice, as a file and as an index.",
                code="invalid_path",
            )
        seen.add(page.path)


def _origin(origin: Origin) -> Origin:
    commit = origin.commit_hash.lower() if origin.commit_hash else None
    if commit is not None and not _COMMIT.fullmatch(commit):
        raise BadRequest(
            f"A commit is 7 to {COMMIT_MAX} hexadecimal digits.", code="invalid_commit"
        )
    for name in ("branch", "model_id", "reasoning_effort", "agent_version", "source_session_id"):
        value: str | None = getattr(origin, name)
        if value is not None and (len(value) > WORD_MAX or not value.isprintable()):
            raise BadRequest(
                f"{name} has at most {WORD_MAX} characters, all of them visible.",
                code="invalid_origin",
            )
    return msgspec.structs.replace(
        origin, repo_url=addresses.normalise(origin.repo_url), commit_hash=commit
    )


def _keep(body: bytes, bodies: dict[bytes, bytes]) -> bytes:
    digest = hashlib.sha256(body).digest()
    bodies[digest] = body
    return digest


def _is_text(text: str) -> bool:
    """Can it be UTF-8? A lone surrogate cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _invalid(page: UploadedPage, fault: str) -> BadRequest:
    return BadRequest(f"The page {shown(page.file)} {fault}.", code="invalid_page")
