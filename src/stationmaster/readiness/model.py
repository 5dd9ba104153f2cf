"""The nouns of readiness reports. Encoded as JSON they have the names of the published API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, get_args

import msgspec

from stationmaster.errors import BadRequest

Level = Literal[1, 2, 3, 4, 5]
Scope = Literal["repository", "application"]
Pillar = Literal[
    "Style & Validation",
    "Build System",
    "Testing",
    "Documentation",
    "Development Environment",
    "Debugging & Observability",
    "Security",
    "Task Discovery",
    "Product & Experimentation",
]

LEVELS: dict[Level, str] = {
    1: "Functional",
    2: "Documented",
    3: "Standardized",
    4: "Optimized",
    5: "Autonomous",
}
PILLARS: tuple[Pillar, ...] = get_args(Pillar)

Effort = Literal["low", "medium", "high", "off"]
EFFORTS: tuple[Effort, ...] = get_args(Effort)
NEAREST: dict[str, Effort] = {
    "none": "off",
    "minimal": "low",
    "dynamic": "medium",
    "xhigh": "high",
    "max": "high",
}
"""What newer agents report in addition to the four published words. Source: docs/readiness.md."""

REPORT_BYTES_MAX = 256 * 1024
"""A stored report. One of 90 criteria takes about 30 KB."""

Number = int | float
State = Literal["pass", "fail", "partial", "skipped", "not_evaluated"]


class App(msgspec.Struct, frozen=True, omit_defaults=True):
    """An application of the repository, known by its path; `kinds` such as `library`, `service`,
    `ecosystems` such as `npm`, `python`."""

    description: str
    kinds: list[str] = []
    ecosystems: list[str] = []


class Evaluation(msgspec.Struct, frozen=True, omit_defaults=True):
    """How one criterion was judged: `numerator` of `denominator` sub-applications pass.

    Without a numerator it was not judged; `state` then shows whether it does not apply or is
    unknown.
    """

    numerator: Number | None
    denominator: Number
    rationale: str
    state: State | None = None


class Spot(msgspec.Struct, frozen=True, omit_defaults=True):
    """A place that a verdict rests on: a file, a line from 1, the text of that line (credentials
    masked), and why it counts, or why it does not."""

    path: str
    why: str
    line: int | None = None
    excerpt: str | None = None


class ApplicationVerdict(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """The verdict on one application, or on the repository where `application` is None."""

    state: State
    reason: str
    application: str | None = None
    is_weak: bool = False
    places: list[Spot] = []


class Override(msgspec.Struct, frozen=True):
    """What the repository itself decides of a criterion, and why; `found` is what it replaces."""

    reason: str
    found: Evaluation


class Policy(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the repository states about contributions by agents: forbidden, restricted, allowed,
    unknown.

    `place` is the file and line that states it.
    """

    policy: str
    place: str | None = None
    text: str | None = None


class EvaluatingModel(msgspec.Struct, frozen=True, rename="camel"):
    """The model that evaluated a repository, and its effort of reasoning."""

    id: str
    reasoning_effort: Effort


class Content(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What an evaluator reports of one repository; what it does not know is left out.

    The last five are ours: which edition of the criteria judged, the instant (UTC milliseconds)
    that what is recent is recent at, what agents may do there, what the repository overrides, and
    the verdicts on every application by criterion, which `report` sums up.
    """

    repo_url: str
    apps: dict[str, App]
    report: dict[str, Evaluation]
    commit_hash: str | None = None
    branch: str | None = None
    has_local_changes: bool | None = None
    has_non_remote_commits: bool | None = None
    model_used: EvaluatingModel | None = None
    agent_version: str | None = None
    criteria_version: int | None = None
    as_of: int | None = None
    agent_policy: Policy | None = None
    overrides: dict[str, Override] | None = None
    evidence: dict[str, list[ApplicationVerdict]] | None = None


class Report(Content, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A report as it was accepted. `created_at` is UTC milliseconds."""

    report_id: Annotated[str, msgspec.Meta(extra_json_schema={"format": "uuid"})]
    created_at: int

    @classmethod
    def of(cls, content: Content, report_id: str, created_at: int) -> Report:
        """A report with this content."""
        members = {name: getattr(content, name) for name in Content.__struct_fields__}
        return cls(report_id=report_id, created_at=created_at, **members)


def state_of(evaluation: Evaluation) -> State:
    """Its own word, or the one that follows from its numbers."""
    if evaluation.state is not None:
        return evaluation.state
    if evaluation.numerator is None:
        return "not_evaluated"
    return (
        "pass"
        if evaluation.numerator == evaluation.denominator
        else "partial"
        if evaluation.numerator
        else "fail"
    )


Scores = dict[str, tuple[Number, Number] | None]
"""Numerator and denominator of a report's criteria; None where one could not be evaluated. What
does not apply is not among them."""


def scores_of(report: Mapping[str, Evaluation]) -> Scores:
    """(numerator, denominator) by criterion, None where not evaluated; without skipped ones."""
    return {
        name: None
        if evaluation.numerator is None
        else (evaluation.numerator, evaluation.denominator)
        for name, evaluation in report.items()
        if evaluation.state != "skipped"
    }


class Latest(msgspec.Struct, frozen=True):
    """A repository's newest report, as far as levels need it."""

    repo_id: str
    repo_url: str
    report_id: str
    created_at: int
    scores: Scores


def effort_of(word: str) -> Effort:
    """The published word that is nearest to an agent's. Raises BadRequest."""
    if word in EFFORTS:
        return word
    if word in NEAREST:
        return NEAREST[word]
    raise BadRequest(
        f"The reasoning effort must be one of {', '.join((*EFFORTS, *NEAREST))}.",
        code="invalid_reasoning_effort",
    )
