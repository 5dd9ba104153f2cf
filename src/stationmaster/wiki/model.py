"""The nouns of the wiki, and its limits. Times are UTC milliseconds, sizes bytes."""

from __future__ import annotations

from typing import Literal

import msgspec

from stationmaster.ids import RepoId

PrivacyLevel = Literal["private", "organization"]

PAGES_MAX = 1_000
"""Five times what documented clients send; the tree of a run is one answer."""
PAGE_BYTES_MAX = 500 * 1024
"""Documented clients have this limit, too."""
ASSETS_MAX = 1_000
"""As many as pages."""
ASSET_BYTES_MAX = 5 * 2**20
"""More than any screenshot or diagram needs."""
CONTENT_BYTES_MAX = 50 * 2**20
"""All pages and images of a run together: what one upload may cost in memory."""
DEPTH_MAX = 8
"""Segments of a path; clients draw no deeper tree."""
RESULTS_MAX = 30
"""Pages that one search returns; no client is known to ask for more."""
PASSAGES_MAX = 10
"""Passages that answer one question."""
CODE_PASSAGES = 3
"""Passages of code beside them."""


class UploadedPage(msgspec.Struct, frozen=True):
    """`file` is a path with or without `.md`; `order` counts among pages of the same section.

    A page that does not start with a level-1 heading gets its `title` as one.
    """

    file: str
    content: str
    title: str | None = None
    order: int | None = None


class UploadedAsset(msgspec.Struct, frozen=True):
    file: str
    content: bytes


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """What a run reports of the code that it describes, and of how it was written."""

    repo_url: str
    commit_hash: str | None = None
    branch: str | None = None
    has_local_changes: bool | None = None
    has_non_remote_commits: bool | None = None
    model_id: str | None = None
    reasoning_effort: str | None = None
    agent_version: str | None = None
    source_session_id: str | None = None


class Upload(msgspec.Struct, frozen=True, kw_only=True):
    """A whole wiki as it was sent, before anything of it was checked."""

    origin: Origin
    pages: list[UploadedPage]
    assets: list[UploadedAsset] = []
    privacy_level: PrivacyLevel = "organization"


Status = Literal["pending", "running", "completed", "failed", "cancelled"]
"""The last three are ends."""
SYSTEM = "stationmaster"
"""Who made a run that followed from a new commit."""
RUNS_KEPT = 20
"""Generated runs of a repository; older ones go."""


class Details(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What was counted when a run was made. Without the repository, the number of citations that it
    does not have is not known. `stats` are of the generation."""

    links: int = 0
    broken_links: int = 0
    citations: int = 0
    unresolved_citations: int | None = None
    problems: tuple[str, ...] = ()
    stats: dict[str, int] = {}

    @property
    def is_partial(self) -> bool:
        """Are pages that a model planned missing or incomplete?"""
        return any(self.stats.get(it, 0) for it in ("modelPagesFailed", "modelPlansFailed"))


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One version of a repository's wiki. Once completed, only `privacy_level` ever changes.

    A run with a `job_id` is generated, and completed by that job; others were uploaded as a whole.
    """

    run_id: str
    repository_id: RepoId
    created_at: int
    created_by: str
    privacy_level: PrivacyLevel
    page_count: int
    job_id: str | None = None
    completed_at: int | None = None
    origin: Origin

    @property
    def is_completed(self) -> bool:
        return self.job_id is None or self.completed_at is not None


class Page(msgspec.Struct, frozen=True):
    """`path` has no ending; `is_index`: the file was the index of the folder `path`."""

    page_id: str
    path: str
    title: str
    order: int
    is_index: bool
    digest: bytes

    @property
    def file(self) -> str:
        return f"{self.path}/index.md" if self.is_index else f"{self.path}.md"


class Asset(msgspec.Struct, frozen=True):
    path: str
    media_type: str
    digest: bytes


class Node(msgspec.Struct, rename="camel"):
    """A page or a section in the tree. As JSON it is stored with its run, and answered.

    Stored, `page_id` is None for a section without a page of its own; answered, it is always a
    string.
    """

    page_id: str | None
    title: str
    path: str
    order: int
    children: list[Node]


class Passage(msgspec.Struct, frozen=True):
    """A section that answers a question, as Markdown with citations; `headings` begin it."""

    page_id: str
    path: str
    title: str
    headings: tuple[str, ...]
    text: str
    is_cut: bool


class CodePassage(msgspec.Struct, frozen=True):
    """The lines `first` to `last` of a file at a run's commit, which begin the function or type
    `name`; `is_cut`: it has more. Secrets are masked. `url` is where the lines are shown."""

    path: str
    name: str
    first: int
    last: int
    text: str
    is_cut: bool
    url: str = ""

    @property
    def place(self) -> str:
        """Path and lines, as citations name them."""
        return f"{self.path}:{self.first}-{self.last}"


class Hit(msgspec.Struct, frozen=True):
    """A page in the results; `match_count` of its sections have at least one of the words."""

    page_id: str
    title: str
    path: str
    snippet: str
    match_count: int
