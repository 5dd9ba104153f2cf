"""The specification's tables as types, written from its text and from nothing else.

A member that the specification requires has no default; what it says nothing of is ignored, as
clients must.
"""

from __future__ import annotations

from typing import Annotated, Any, Generic, Literal, TypeVar
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

T = TypeVar("T")
Number = int | float
Day = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\d$")]
Client = Literal["terminal-ui", "web", "non-interactive-cli"]
Delegation = Literal["auto-high", "auto-medium", "auto-low", "spec", "manual"]


class Problem(Struct, forbid_unknown_fields=True):
    detail: str
    status: int
    title: str
    metadata: dict[str, Any] | UnsetType = UNSET


class AnalyticsProblem(Problem, forbid_unknown_fields=True):
    requestId: str | UnsetType = UNSET


class RangeMeta(Struct):
    org_id: str
    start_date: Day
    end_date: Day


class UsersMeta(RangeMeta):
    has_more: bool
    next_cursor: str | None


class Envelope(Struct, Generic[T]):
    data: list[T]
    meta: RangeMeta


class UsersEnvelope(Struct):
    data: list[UserRow]
    meta: UsersMeta


class CreditsRow(Struct):
    date: Day
    billable_tokens: Number
    input_tokens: Number
    output_tokens: Number
    cache_read_tokens: Number
    cache_write_tokens: Number
    by_model: list[dict[str, Any]]
    by_user: list[dict[str, Any]]


class ToolCount(Struct):
    tool: str
    invocations: Number


class ServerCount(Struct):
    server: str
    invocations: Number


class NamedCount(Struct):
    name: str
    count: Number


class HookCount(Struct):
    event: str
    matcher: str
    command: str
    count: Number


class Levels(Struct, forbid_unknown_fields=True):
    auto_high: Number
    auto_medium: Number
    auto_low: Number
    manual: Number


class ToolRow(Struct):
    date: Day
    tool_calls: Number
    by_tool: list[ToolCount]
    mcp_users_with_mcp: Number
    mcp_by_server: list[ServerCount]
    skills_invocations: Number
    skills_by_name: list[NamedCount]
    slash_commands_invocations: Number
    slash_commands_by_name: list[NamedCount]
    hooks_invocations: Number
    hooks_by_event: list[HookCount]
    web_users: Number
    autonomy_ratio_avg: Number
    autonomy_ratio_p50: Number
    autonomy_ratio_p90: Number
    tool_calls_per_session_avg: Number
    user_turns_per_session_avg: Number
    tool_autonomy_level_ratio: Levels


class ActivityRow(Struct):
    date: Day
    daily_active_users: Number
    weekly_active_users: Number
    monthly_active_users: Number
    daily_active_users_by_client: dict[Client, Number]
    sessions: Number
    messages: Number
    user_messages: Number


class ExtensionCount(Struct):
    extension: str
    count: Number


class LanguageCount(Struct):
    language: str
    count: Number


class ProductivityRow(Struct):
    date: Day
    files_created: Number
    files_edited: Number
    by_extension: list[ExtensionCount]
    by_language: list[LanguageCount]
    git_commits: Number
    git_prs_created: Number


class UserRow(Struct):
    user_id: str
    user_email: str | None
    date: Day
    tool_calls: Number
    billable_tokens: Number
    primary_model: str
    primary_model_tier: Literal["standard", "thinking"]
    files_created: Number
    files_edited: Number
    git_commits: Number
    git_prs_created: Number
    mcp_calls: Number
    skill_calls: Number
    slash_commands: Number
    hooks: Number
    sessions: Number
    messages: Number
    user_messages: Number
    assistant_messages: Number
    autonomy_ratio: Number
    delegation_level: Delegation
    languages: list[str]


class ModelGroup(Struct):
    date: Day
    group_key: str


class ToolGroup(Struct, forbid_unknown_fields=True):
    date: Day
    group_key: str
    tool_calls: Number


class ClientGroup(Struct, forbid_unknown_fields=True):
    date: Day
    group_key: Client
    daily_active_users: Number


class App(Struct):
    description: str


class Evaluation(Struct):
    numerator: Annotated[float, Meta(ge=0)]
    denominator: Annotated[float, Meta(ge=1)]
    rationale: str

    def __post_init__(self) -> None:
        if self.numerator > self.denominator:
            raise ValueError("numerator is above denominator")


class ModelUsed(Struct):
    id: str
    reasoningEffort: Literal["low", "medium", "high", "off"]


class Report(Struct):
    reportId: UUID
    createdAt: int
    repoUrl: str
    apps: dict[str, App]
    report: dict[str, Evaluation]
    commitHash: str | UnsetType = UNSET
    branch: str | UnsetType = UNSET
    hasLocalChanges: bool | UnsetType = UNSET
    hasNonRemoteCommits: bool | UnsetType = UNSET
    modelUsed: ModelUsed | UnsetType = UNSET
    agentVersion: str | UnsetType = UNSET


class Reports(Struct):
    reports: list[Report]


class Step(Struct):
    id: str
    name: str
    status: str
    error: str | UnsetType = UNSET
    startedAt: Number | UnsetType = UNSET
    completedAt: Number | UnsetType = UNSET
    installSessionId: str | UnsetType = UNSET


class Computer(Struct):
    id: str
    name: Annotated[str, Meta(min_length=1, max_length=63)]
    createdAt: Number
    hostId: UUID | UnsetType = UNSET
    provisioningSteps: list[Step] | UnsetType = UNSET
    relayClientUrl: str | UnsetType = UNSET
    relayAgentUrl: str | UnsetType = UNSET
    remoteUser: str | UnsetType = UNSET
    clonedRepoDirectories: list[str] | UnsetType = UNSET
    ownerPrincipalKind: str | UnsetType = UNSET
    ownerId: str | UnsetType = UNSET
    computerSource: dict[str, str] | UnsetType = UNSET


class UpdatedLimit(Struct, forbid_unknown_fields=True):
    email: str
    limit: int


class RefusedLimit(Struct, forbid_unknown_fields=True):
    email: str
    error: str


class LimitsOutcome(Struct):
    updated: list[UpdatedLimit]
    errors: list[RefusedLimit]
