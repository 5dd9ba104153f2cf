"""The rows of the five reports, member by member, in the order of the specification.

Documents are made from these once a day; after that they only describe the stored bytes, to the
API description and the exports.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from stationmaster.report_names import DIMENSIONS

Tier = Literal["standard", "thinking"]
Client = Literal["terminal-ui", "web", "non-interactive-cli"]
Delegation = Literal["auto-high", "auto-medium", "auto-low", "spec", "manual"]


class ModelUsage(Struct, frozen=True, gc=False):
    """One model's share of a day's or a user's consumption."""

    model_id: str
    model_tier: Tier
    billable_tokens: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int


COUNTERS = ModelUsage.__struct_fields__[2:]
"""The five figures that add up: credits first, then the four token counters."""


class UserUsage(Struct, frozen=True, gc=False):
    """One user's share of a day's consumption."""

    user_id: str
    user_email: str | None
    billable_tokens: int
    by_model: list[ModelUsage]


class CreditsRow(Struct, frozen=True, gc=False):
    """Standard Credits and raw tokens of one day. The four token counters are disjoint."""

    date: str
    billable_tokens: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    by_model: list[ModelUsage]
    by_user: list[UserUsage]


class CreditsByModelRow(Struct, frozen=True, gc=False):
    """One model on one day; `group_key` is the model."""

    date: str
    group_key: str
    billable_tokens: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int


class CreditsByGroupRow(CreditsByModelRow, frozen=True, gc=False):
    """One agent, repository, team or user on one day; `group_key` names it."""


class ToolCount(Struct, frozen=True, gc=False):
    tool: str
    invocations: int


class ServerCount(Struct, frozen=True, gc=False):
    server: str
    invocations: int


class SkillCount(Struct, frozen=True, gc=False):
    name: str
    count: int


class CommandCount(Struct, frozen=True, gc=False):
    name: str
    count: int


class HookCount(Struct, frozen=True, gc=False):
    """`matcher` is empty for hook events without one."""

    event: str
    matcher: str
    command: str
    count: int


class AutonomyShares(Struct, frozen=True, gc=False):
    """Fractions of the day's tool calls; all 0 when there were none."""

    auto_high: float
    auto_medium: float
    auto_low: float
    manual: float


class ToolsRow(Struct, frozen=True, gc=False):
    """Tool use of one day."""

    date: str
    tool_calls: int
    by_tool: list[ToolCount]
    mcp_users_with_mcp: int
    mcp_by_server: list[ServerCount]
    skills_invocations: int
    skills_by_name: list[SkillCount]
    slash_commands_invocations: int
    slash_commands_by_name: list[CommandCount]
    hooks_invocations: int
    hooks_by_event: list[HookCount]
    web_users: int
    autonomy_ratio_avg: float
    autonomy_ratio_p50: float
    autonomy_ratio_p90: float
    tool_calls_per_session_avg: float
    user_turns_per_session_avg: float
    tool_autonomy_level_ratio: AutonomyShares


class ToolsByNameRow(Struct, frozen=True, gc=False):
    """One tool on one day; `group_key` is the tool's name."""

    date: str
    group_key: str
    tool_calls: int


class ToolsByGroupRow(ToolsByNameRow, frozen=True, gc=False):
    """One agent, repository, team or user on one day; `group_key` names it."""


class ClientCounts(Struct, frozen=True, gc=False):
    """A user of several clients counts in each."""

    terminal_ui: int = field(name="terminal-ui")
    web: int
    non_interactive_cli: int = field(name="non-interactive-cli")


class ActivityRow(Struct, frozen=True, gc=False):
    """Active users of one day and of the 7 and 30 days that end with it."""

    date: str
    daily_active_users: int
    weekly_active_users: int
    monthly_active_users: int
    daily_active_users_by_client: ClientCounts
    sessions: int
    messages: int
    user_messages: int


class ActivityByClientRow(Struct, frozen=True, gc=False):
    """One client type on one day; `group_key` is the client type."""

    date: str
    group_key: Client
    daily_active_users: int


class ActivityByGroupRow(Struct, frozen=True, gc=False):
    """One agent, repository, team or user on one day; `group_key` names it.

    A user of several groups counts in each; a session where it began.
    """

    date: str
    group_key: str
    daily_active_users: int
    sessions: int
    messages: int
    user_messages: int


class ExtensionCount(Struct, frozen=True, gc=False):
    """`extension` has its leading dot."""

    extension: str
    count: int


class LanguageCount(Struct, frozen=True, gc=False):
    language: str
    count: int


class ProductivityRow(Struct, frozen=True, gc=False):
    """Files and git of one day."""

    date: str
    files_created: int
    files_edited: int
    by_extension: list[ExtensionCount]
    by_language: list[LanguageCount]
    git_commits: int
    git_prs_created: int


class ProductivityByGroupRow(Struct, frozen=True, gc=False):
    """One agent, repository, team or user on one day; `group_key` names it."""

    date: str
    group_key: str
    files_created: int
    files_edited: int
    git_commits: int
    git_prs_created: int


class UserRow(Struct, frozen=True, gc=False):
    """One user on one day with some activity."""

    user_id: str
    user_email: str | None
    date: str
    tool_calls: int
    billable_tokens: int
    primary_model: str
    primary_model_tier: Tier
    files_created: int
    files_edited: int
    git_commits: int
    git_prs_created: int
    mcp_calls: int
    skill_calls: int
    slash_commands: int
    hooks: int
    sessions: int
    messages: int
    user_messages: int
    assistant_messages: int
    autonomy_ratio: float
    delegation_level: Delegation
    languages: list[str]


GROUP_ROWS: dict[str, type[Struct]] = {
    "tokens": CreditsByGroupRow,
    "tools": ToolsByGroupRow,
    "activity": ActivityByGroupRow,
    "productivity": ProductivityByGroupRow,
}
"""The row of a report by a dimension."""

ROWS: dict[str, type[Struct]] = {
    "tokens": CreditsRow,
    "tokens_by_model": CreditsByModelRow,
    "tools": ToolsRow,
    "tools_by_tool_name": ToolsByNameRow,
    "activity": ActivityRow,
    "activity_by_client": ActivityByClientRow,
    "productivity": ProductivityRow,
    "users": UserRow,
    **{
        f"{report}_by_{dimension}": row
        for report, row in GROUP_ROWS.items()
        for dimension in DIMENSIONS
    },
}
"""The row of each `Question.name`."""
