"""The bodies of the wiki's operations, with the names of the wire."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Any

from pydantic import Field, StrictBool

from stationmaster.access.model import Caller
from stationmaster.api import wire
from stationmaster.errors import BadRequest
from stationmaster.wiki import model, service
from stationmaster.wiki.making.runs import Standing
from stationmaster.wiki.model import Origin, PrivacyLevel, Run, Upload
from stationmaster.wiki.transfer.names import shown


class ModelUsed(wire.Answer):
    id: str
    reasoning_effort: str | None


class WikiRun(wire.Answer):
    """A run. Times are Unix milliseconds; unknown members are null. `droidVersion` is
    `agentVersion` under the name that existing clients read."""

    wiki_run_id: str
    status: model.Status
    created_at: int
    completed_at: int | None
    created_by: str
    source_session_id: str | None
    repo_url: str
    commit_hash: str | None
    branch: str | None
    has_local_changes: bool | None
    has_non_remote_commits: bool | None
    model_used: ModelUsed | None
    agent_version: str | None
    droid_version: str | None = None
    privacy_level: PrivacyLevel
    can_update_privacy: bool
    page_count: int
    error: str | None


class WikiNode(wire.Answer, record=model.Node):
    """A page or a section; a section without a page has a short index."""

    page_id: str
    children: list[WikiNode]


class WikiRunWithPages(WikiRun):
    page_tree: list[WikiNode]


class WikiRuns(wire.Answer):
    wiki_runs: list[WikiRun]
    pagination: wire.Pagination | None = None


class WikiPage(wire.Answer, record=model.Page, without=("order", "is_index", "digest")):
    """`content` is Markdown that starts with the title as its heading."""

    content: str
    order: int


class WikiResult(wire.Answer, record=model.Hit):
    """`snippet` is plain text around the first match of the best section."""


class WikiSearch(wire.Answer):
    results: list[WikiResult]


class UploadAccess(wire.Answer):
    allowed: bool


class Deleted(wire.Answer):
    deleted: bool


class PrivacyChange(wire.Question):
    privacy_level: PrivacyLevel


class WikiUploadPage(wire.Question):
    """`path` may end in `.md`; `order` is the place in the list where it is left out.

    A page starts with a level-1 heading, its title; `title` becomes one where it is missing.
    """

    path: Annotated[str, Field(examples=["overview.md"])]
    content: Annotated[str, Field(examples=["# Overview"])]
    title: str | None = None
    order: Annotated[int, Field(strict=True, ge=-(2**31), lt=2**31), wire.WHOLE] | None = None


class WikiUploadAsset(wire.Question):
    """An image; `content` is base64."""

    path: str
    content: str


class WikiUploadModel(wire.Question):
    id: str
    reasoning_effort: str | None = None


class WikiUpload(wire.Question):
    """A wiki as a whole. `droidVersion` is another name of `agentVersion`."""

    repo_url: Annotated[str, Field(examples=["https://git.example/acme/shop"])]
    commit_hash: str | None = None
    branch: str | None = None
    has_local_changes: StrictBool | None = None
    has_non_remote_commits: StrictBool | None = None
    model_used: WikiUploadModel | None = None
    agent_version: str | None = None
    droid_version: str | None = None
    source_session_id: str | None = None
    privacy_level: PrivacyLevel = "organization"
    pages: Annotated[list[WikiUploadPage], Field(min_length=1, max_length=model.PAGES_MAX)]
    assets: list[WikiUploadAsset] = Field(default_factory=list, max_length=model.ASSETS_MAX)

    @classmethod
    def description(cls) -> dict[str, Any]:
        """Its JSON schema in one piece, for an operation that takes other forms, too."""
        schema = cls.model_json_schema()
        definitions = schema.pop("$defs")
        whole: dict[str, Any] = _filled_in(schema, definitions)
        return whole

    def upload(self) -> Upload:
        """The same as the wiki room takes it. Raises BadRequest for an image that is no base64."""
        used = self.model_used
        return Upload(
            origin=Origin(
                repo_url=self.repo_url,
                commit_hash=self.commit_hash,
                branch=self.branch,
                has_local_changes=self.has_local_changes,
                has_non_remote_commits=self.has_non_remote_commits,
                model_id=used.id if used else None,
                reasoning_effort=used.reasoning_effort if used else None,
                agent_version=self.agent_version or self.droid_version,
                source_session_id=self.source_session_id,
            ),
            pages=[
                model.UploadedPage(page.path, page.content, page.title, page.order)
                for page in self.pages
            ],
            assets=[model.UploadedAsset(asset.path, _decoded(asset)) for asset in self.assets],
            privacy_level=self.privacy_level,
        )


def run_of(run: Run, caller: Caller, standing: Standing, *, with_vendor_spellings: bool) -> WikiRun:
    """A run as a caller sees it."""
    origin = run.origin
    used = origin.model_id
    body = WikiRun.of(
        run,
        origin,
        standing,
        wiki_run_id=run.run_id,
        status=standing.status,
        completed_at=run.created_at if run.job_id is None else run.completed_at,
        model_used=ModelUsed(id=used, reasoning_effort=origin.reasoning_effort) if used else None,
        can_update_privacy=service.may_change(caller, run),
    )
    if with_vendor_spellings:
        body.droid_version = origin.agent_version
    return body


def _decoded(asset: WikiUploadAsset) -> bytes:
    try:
        return base64.b64decode(asset.content, validate=True)
    except (binascii.Error, ValueError) as fault:
        raise BadRequest(
            f"The image {shown(asset.path)} is not base64.", code="invalid_asset"
        ) from fault


def _filled_in(schema: Any, definitions: dict[str, Any]) -> Any:
    """A schema with every reference replaced by what it refers to."""
    if isinstance(schema, list):
        return [_filled_in(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _filled_in(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    return {name: _filled_in(value, definitions) for name, value in schema.items()}
