"""Where each agent keeps its session files, by product.

Apart from what reads them, so that a look at a machine loads no agent that it has nothing of. A
folder that is not there costs nothing, so those of every system are named at once.
"""

from __future__ import annotations

from collections.abc import Callable

from stationmaster.agents.home import Home, Root

COPILOT_STORE = "session-store.db"
CURSOR_STORE = "store.db"
DROID_SETTINGS = ".settings.json"
"""The ending of its name."""


def _claude_code(home: Home) -> list[Root]:
    configured = (
        *home.folders(".claude", "CLAUDE_CONFIG_DIR"),
        *home.folders(".config/claude", "XDG_CONFIG_HOME", "claude"),
    )
    # Those of the desktop application, on macOS, Linux and Windows.
    desktop = (
        *home.folders("Library/Application Support/Claude"),
        *home.folders(".config/Claude", "XDG_CONFIG_HOME", "Claude"),
        *home.folders("AppData/Roaming/Claude", "APPDATA", "Claude"),
    )
    sessions = "projects/**/*.jsonl"
    return [
        *(Root(folder, sessions) for folder in configured),
        *(Root(folder, f"local-agent-mode-sessions/**/.claude/{sessions}") for folder in desktop),
    ]


def _codex(home: Home) -> list[Root]:
    return [
        Root(folder, f"{kind}/**/*.jsonl")
        for folder in home.folders(".codex", "CODEX_HOME")
        for kind in ("sessions", "archived_sessions")
    ]


def _gemini_cli(home: Home) -> list[Root]:
    return [
        Root(folder, f"tmp/*/chats/{files}")
        for folder in home.folders(".gemini", "GEMINI_CLI_HOME", ".gemini")
        for files in ("**/*.jsonl", "*.json")
    ]


def _qwen_code(home: Home) -> list[Root]:
    return [
        Root(folder, pattern)
        for folder in (*home.folders(".qwen", "QWEN_HOME"), *home.named("QWEN_RUNTIME_DIR"))
        for pattern in (
            "projects/*/chats/**/*.jsonl",
            "projects/*/subagents/**/*.jsonl",
            "tmp/*/chats/**/*.jsonl",
            "tmp/*/chats/*.json",
        )
    ]


def _opencode(home: Home) -> list[Root]:
    folders = (
        *home.folders(".local/share/opencode", "XDG_DATA_HOME", "opencode"),
        *home.folders("AppData/Local/opencode", "LOCALAPPDATA", "opencode"),
        *home.named("OPENCODE_DATA_DIR"),
    )
    return [
        *(Root(folder, "opencode*.db") for folder in folders),
        # Its messages lie in files of their own.
        *(Root(folder, "storage/session/*/*.json", is_whole=False) for folder in folders),
    ]


def _copilot_cli(home: Home) -> list[Root]:
    return [
        Root(folder, pattern)
        for folder in home.folders(".copilot", "COPILOT_HOME")
        for pattern in ("session-state/*/events.jsonl", "session-state/*.jsonl", COPILOT_STORE)
    ]


def _cursor(home: Home) -> list[Root]:
    return [
        Root(folder, pattern)
        for folder in home.folders(".cursor")
        for pattern in ("projects/*/agent-transcripts/**/*.jsonl", f"chats/**/{CURSOR_STORE}")
    ]


def _droid(home: Home) -> list[Root]:
    return [
        Root(folder, f"{kind}/**/*{ending}")
        for folder in home.folders(".factory")
        for kind in ("sessions", "projects")
        for ending in (".jsonl", DROID_SETTINGS)
    ]


ROOTS: dict[str, Callable[[Home], list[Root]]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini-cli": _gemini_cli,
    "qwen-code": _qwen_code,
    "opencode": _opencode,
    "copilot-cli": _copilot_cli,
    "cursor": _cursor,
    "droid": _droid,
}
