"""One row an agent: which package, how it is pointed at the stub model, what its tools are called.

Everything that an agent would ask of its vendor is switched off by the vendor's own settings, and
every address that is left is on loopback.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.support.stub_model import ToolUse

NODE = "node@22"
"""The runtime of those that are JavaScript, from npm as well."""
KEY = "stub-key-of-nobody"


@dataclass(frozen=True)
class Tools:
    """The agent's own tools for what a script does in a project; each takes absolute paths."""

    read: Callable[[Path], ToolUse]
    create: Callable[[Path, str], ToolUse]
    edit: Callable[[Path, str, str], ToolUse]
    run: Callable[[str], ToolUse]


@dataclass(frozen=True)
class LiveAgent:
    product: str
    package: str
    """Of npm, with a plain range of versions."""
    program: str
    arguments: Callable[[str], list[str]]
    """For one prompt without a terminal, with leave to use every tool."""
    environment: Callable[[str], dict[str, str]]
    """For the address of the stub model."""
    tools: Tools
    files: Callable[[str], dict[str, str]] = lambda url: {}
    """What the agent needs in its home folder, by path."""
    reports_side_calls: bool = True
    """Do calls for titles and the like reach any source that Stationmaster reads?"""


def _claude_code() -> LiveAgent:
    return LiveAgent(
        "claude-code",
        "@anthropic-ai/claude-code@2.1",
        "claude",
        lambda prompt: ["-p", prompt, "--allowedTools", "Read,Write,Edit,Bash"],
        lambda url: {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_MODEL": "claude-sonnet-4-5-20250929",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        },
        Tools(
            lambda path: ToolUse("Read", {"file_path": str(path)}),
            lambda path, text: ToolUse("Write", {"file_path": str(path), "content": text}),
            lambda path, old, new: ToolUse(
                "Edit", {"file_path": str(path), "old_string": old, "new_string": new}
            ),
            lambda command: ToolUse("Bash", {"command": command, "description": "Run it"}),
        ),
    )


def _codex() -> LiveAgent:
    def config(url: str) -> str:
        return (
            'model = "gpt-5.5"\nmodel_provider = "stub"\ncheck_for_update_on_startup = false\n\n'
            f'[model_providers.stub]\nname = "stub"\nbase_url = "{url}/v1"\n'
            'wire_api = "responses"\nenv_key = "STUB_KEY"\n\n[analytics]\nenabled = false\n'
        )

    def patch(lines: list[str]) -> ToolUse:
        return ToolUse("apply_patch", "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""]))

    def signed(sign: str, text: str) -> list[str]:
        return [f"{sign}{line}" for line in text.splitlines()]

    return LiveAgent(
        "codex",
        "@openai/codex@0.169",
        "codex",
        lambda prompt: ["exec", "--dangerously-bypass-approvals-and-sandbox", prompt],
        lambda url: {"STUB_KEY": KEY},
        Tools(
            lambda path: ToolUse("exec_command", {"cmd": f"cat {path}"}),
            lambda path, text: patch([f"*** Add File: {path}", *signed("+", text)]),
            lambda path, old, new: patch(
                [f"*** Update File: {path}", "@@", *signed("-", old), *signed("+", new)]
            ),
            lambda command: ToolUse("exec_command", {"cmd": command}),
        ),
        lambda url: {".codex/config.toml": config(url)},
    )


def _gemini_settings(auth: str) -> str:
    settings = {
        "security": {"auth": {"selectedType": auth}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
    }
    return json.dumps(settings, indent=4) + "\n"


def _gemini_cli() -> LiveAgent:
    return LiveAgent(
        "gemini-cli",
        "@google/gemini-cli@0.61",
        "gemini",
        lambda prompt: ["-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-p", prompt],
        lambda url: {
            "GEMINI_API_KEY": KEY,
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
        Tools(
            lambda path: ToolUse("read_file", {"file_path": str(path)}),
            lambda path, text: ToolUse("write_file", {"file_path": str(path), "content": text}),
            lambda path, old, new: ToolUse(
                "replace",
                {
                    "file_path": str(path),
                    "old_string": old,
                    "new_string": new,
                    "instruction": "Change the function.",
                },
            ),
            lambda command: ToolUse("run_shell_command", {"command": command}),
        ),
        lambda url: {".gemini/settings.json": _gemini_settings("gemini-api-key")},
    )


def _qwen_code() -> LiveAgent:
    return LiveAgent(
        "qwen-code",
        "@qwen-code/qwen-code@0.24",
        "qwen",
        lambda prompt: ["--approval-mode", "yolo", "-p", prompt],
        lambda url: {
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_MODEL": "qwen3-coder-plus",
        },
        Tools(
            lambda path: ToolUse("read_file", {"file_path": str(path)}),
            lambda path, text: ToolUse("write_file", {"file_path": str(path), "content": text}),
            lambda path, old, new: ToolUse(
                "edit", {"file_path": str(path), "old_string": old, "new_string": new}
            ),
            lambda command: ToolUse(
                "run_shell_command",
                {"command": command, "description": "Run it", "is_background": False},
            ),
        ),
        lambda url: {".qwen/settings.json": _gemini_settings("openai")},
    )


def _opencode() -> LiveAgent:
    def config(url: str) -> str:
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"{url}/v1", "apiKey": KEY},
            "models": {"stub-large": {}, "stub-small": {}},
        }
        settings = {
            "model": "stub/stub-large",
            "small_model": "stub/stub-small",
            "provider": {"stub": provider},
            "permission": {"edit": "allow", "bash": "allow"},
            "autoupdate": False,
            "share": "disabled",
        }
        return json.dumps(settings)

    return LiveAgent(
        "opencode",
        "opencode-ai@1.18",
        "opencode",
        lambda prompt: ["run", prompt],
        lambda url: {
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            # It installs a package for every folder with plugins; the stub model offers none.
            "NPM_CONFIG_REGISTRY": f"{url}/",
        },
        Tools(
            lambda path: ToolUse("read", {"filePath": str(path)}),
            lambda path, text: ToolUse("write", {"filePath": str(path), "content": text}),
            lambda path, old, new: ToolUse(
                "edit", {"filePath": str(path), "oldString": old, "newString": new}
            ),
            lambda command: ToolUse("bash", {"command": command, "description": "Run it"}),
        ),
        lambda url: {".config/opencode/opencode.json": config(url)},
        reports_side_calls=False,
    )


def _copilot_cli() -> LiveAgent:
    return LiveAgent(
        "copilot-cli",
        "@github/copilot@1.0",
        "copilot",
        lambda prompt: ["-p", prompt, "--allow-all-tools"],
        lambda url: {
            "COPILOT_PROVIDER_BASE_URL": url,
            "COPILOT_PROVIDER_API_KEY": KEY,
            "COPILOT_PROVIDER_TYPE": "anthropic",
            "COPILOT_MODEL": "claude-sonnet-4.5",
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
        },
        Tools(
            lambda path: ToolUse("view", {"path": str(path)}),
            lambda path, text: ToolUse("create", {"path": str(path), "file_text": text}),
            lambda path, old, new: ToolUse(
                "edit", {"path": str(path), "old_str": old, "new_str": new}
            ),
            lambda command: ToolUse("bash", {"command": command, "description": "Run it"}),
        ),
    )


LIVE_AGENTS = (
    _claude_code(),
    _codex(),
    _gemini_cli(),
    _qwen_code(),
    _opencode(),
    _copilot_cli(),
)
