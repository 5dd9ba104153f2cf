"""The shapes of the report rows, in the order in which their fields are written."""

from __future__ import annotations

import msgspec


class ModelCredits(msgspec.Struct, frozen=True, gc=False):
    model_id: str
    model_tier: str
    billable_tokens: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int


class UserCredits(msgspec.Struct, frozen=True, gc=False):
    user_id: str
    user_email: str | None
    billable_tokens: int
    by_model: list[ModelCredits]


class CreditsRow(msgspec.Struct, frozen=True, gc=False):
    date: str
    billable_tokens: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    by_model: list[ModelCredits]
    by_user: list[UserCredits]


class ModelGroup(msgspec.Struct, frozen=True, gc=False):
    date: str
    group_key: str
    billable_tokens: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int


class ToolCount(msgspec.Struct, frozen=True, gc=False):
    tool: str
    invocations: int


class ServerCount(msgspec.Struct, frozen=True, gc=False):
    server: str
    invocations: int


class NameCount(msgspec.Struct, frozen=True, gc=False):
    name: str
    count: int


class HookCount(msgspec.Struct, frozen=True, gc=False):
    event: str
    matcher: str
    command: str
    count: int


class Levels(msgspec.Struct, frozen=True, gc=False):
    auto_high: float
    auto_medium: float
    auto_low: float
    manual: float


class ToolRow(msgspec.Struct, frozen=True, gc=False):
    date: str
    tool_calls: int
    by_tool: list[ToolCount]
    mcp_users_with_mcp: int
    mcp_by_server: list[ServerCount]
    skills_invocations: int
    skills_by_name: list[NameCount]
    slash_commands_invocations: int
    slash_commands_by_name: list[NameCount]
    hooks_invocations: int
    hooks_by_event: list[HookCount]
    web_users: int
    autonomy_ratio_avg: float
    autonomy_ratio_p50: float
    autonomy_ratio_p90: float
    tool_calls_per_session_avg: float
    user_turns_per_session_avg: float
    tool_autonomy_level_ratio: Levels


class ToolGroup(msgspec.Struct, frozen=True, gc=False):
    date: str
    group_key: str
    tool_calls: int


class ActivityRow(msgspec.Struct, frozen=True, gc=False):
    date: str
    daily_active_users: int
    weekly_active_users: int
    monthly_active_users: int
    daily_active_users_by_client: dict[str, int]
    sessions: int
    messages: int
    user_messages: int


class ClientGroup(msgspec.Struct, frozen=True, gc=False):
    date: str
    group_key: str
    daily_active_users: int


class ExtensionCount(msgspec.Struct, frozen=True, gc=False):
    extension: str
    count: int


class LanguageCount(msgspec.Struct, frozen=True, gc=False):
    language: str
    count: int


class ProductivityRow(msgspec.Struct, frozen=True, gc=False):
    date: str
    files_created: int
    files_edited: int
    by_extension: list[ExtensionCount]
    by_language: list[LanguageCount]
    git_commits: int
    git_prs_created: int


class UserRow(msgspec.Struct, frozen=True, gc=False):
    user_id: str
    user_email: str | None
    date: str
    tool_calls: int
    billable_tokens: int
    primary_model: str
    primary_model_tier: str
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
    delegation_level: str
    languages: list[str]


def counters(model: ModelCredits) -> tuple[int, int, int, int, int]:
    """The five figures that add up: credits first, then the four token counters."""
    return (
        model.billable_tokens,
        model.input_tokens,
        model.output_tokens,
        model.cache_read_tokens,
        model.cache_write_tokens,
    )
