"""The settings that make each agent export its telemetry to a server.

Sources: agent-telemetry, the sections on OpenTelemetry, and agent-captures. Content stays switched
off wherever an agent has a switch for it; what it sends all the same the server leaves behind.
"""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from stationmaster.client import edits
from stationmaster.client.server import Server
from stationmaster.errors import BadRequest, OperatorError

_WHAT = "settings"
JsonSettings = dict[str, Any]


class Recipe(NamedTuple):
    """What one agent needs: settings in a file, variables of the environment, or both."""

    environment: dict[str, str]
    file: str | None = None
    """Below the home folder."""
    content: JsonSettings | str | None = None
    """JSON to merge into the file, or lines of TOML to add to it."""
    remark: str = ""


def _endpoint(server: Server) -> dict[str, str]:
    return {
        "OTEL_EXPORTER_OTLP_ENDPOINT": server.url,
        "OTEL_EXPORTER_OTLP_HEADERS": f"Authorization=Bearer {server.key}",
    }


def _claude_code(server: Server) -> Recipe:
    environment = {
        "CLAUDE_CODE_ENABLE_TELEMETRY": "1",
        "OTEL_METRICS_EXPORTER": "otlp",
        "OTEL_LOGS_EXPORTER": "otlp",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        **_endpoint(server),
        # Names of servers, skills, files and commands; the server keeps counts and names of them.
        "OTEL_LOG_TOOL_DETAILS": "1",
    }
    return Recipe({}, ".claude/settings.json", {"env": environment})


def _codex(server: Server) -> Recipe:
    # A text of JSON is one of TOML, too.
    headers = f"{{ Authorization = {json.dumps(f'Bearer {server.key}')} }}"
    lines = ["[otel]", "log_user_prompt = false"]
    for name, signal in (("exporter", "logs"), ("metrics_exporter", "metrics")):
        address = json.dumps(f"{server.url.rstrip('/')}/v1/{signal}")
        told = f'endpoint = {address}, protocol = "binary", headers = {headers}'
        lines.append(f"{name} = {{ otlp-http = {{ {told} }} }}")
    return Recipe(
        {},
        ".codex/config.toml",
        "\n".join(lines) + "\n",
        "Codex does not send again what a server refused for a moment: run `stationmaster "
        "collect` beside it.",
    )


def _of_gemini_kind(folder: str) -> Callable[[Server], Recipe]:
    def recipe(server: Server) -> Recipe:
        telemetry = {
            "enabled": True,
            "target": "local",
            "otlpProtocol": "http",
            "otlpEndpoint": server.url,
            "logPrompts": False,
        }
        headers = _endpoint(server)["OTEL_EXPORTER_OTLP_HEADERS"]
        return Recipe(
            {"OTEL_EXPORTER_OTLP_HEADERS": headers},
            f"{folder}/settings.json",
            {"telemetry": telemetry},
            "Its settings have no place for the key, so the variable has to stand in the "
            "environment, too.",
        )

    return recipe


def _opencode(server: Server) -> Recipe:
    return Recipe(
        _endpoint(server),
        ".config/opencode/opencode.json",
        {"experimental": {"openTelemetry": True}},
        "It sends prompts and outputs, whatever it is told; the server leaves them behind. The end "
        "of a headless run is not exported: run `stationmaster collect` beside it.",
    )


def _copilot_cli(server: Server) -> Recipe:
    return Recipe({"COPILOT_OTEL_ENABLED": "true", **_endpoint(server)})


def _droid(server: Server) -> Recipe:
    return Recipe(
        {
            "OTEL_TELEMETRY_ENDPOINT": server.url,
            "OTEL_TELEMETRY_HEADERS": f"Authorization=Bearer {server.key}",
        },
        remark="It exports no tokens: run `stationmaster collect` beside it.",
    )


RECIPES: dict[str, Callable[[Server], Recipe]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini-cli": _of_gemini_kind(".gemini"),
    "qwen-code": _of_gemini_kind(".qwen"),
    "opencode": _opencode,
    "copilot-cli": _copilot_cli,
    "droid": _droid,
}


def recipe_of(product: str, server: Server) -> Recipe:
    """Raises BadRequest for an agent that is unknown, or exports nothing."""
    make = RECIPES.get(product)
    if make is None:
        known = ", ".join(RECIPES)
        raise BadRequest(
            f"{product!r} has no settings for this; known are {known}", code="no_export"
        )
    return make(server)


def exports(recipe: Recipe) -> str:
    """The lines of a shell that set the environment."""
    return "".join(
        f"export {name}={shlex.quote(value)}\n" for name, value in recipe.environment.items()
    )


def apply(recipe: Recipe, home: Path) -> Path | None:
    """Put the settings into the agent's file; None where it has none. Done twice, nothing changes.

    Raises OperatorError for a file that cannot be changed safely; then it is as it was.
    """
    if recipe.file is None or recipe.content is None:
        return None
    path = (home / recipe.file).resolve()
    if isinstance(recipe.content, str):
        _add_toml(path, recipe.content)
        return path
    before = edits.read(path)
    after = _merged(before, recipe.content)
    if after != before:
        edits.change(path, _WHAT, after)
    return path


def _merged(content: JsonSettings, added: JsonSettings) -> JsonSettings:
    merged = dict(content)
    for name, value in added.items():
        known = merged.get(name)
        is_both = isinstance(known, dict) and isinstance(value, dict)
        merged[name] = _merged(known, value) if is_both else value  # type: ignore[arg-type]  # both
    return merged


def _add_toml(path: Path, lines: str) -> None:
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise OperatorError(f"{path}: {fault}; nothing was changed", code="bad_file") from fault
    wanted = tomllib.loads(lines)
    if all(content.get(name) == value for name, value in wanted.items()):
        return
    for name in wanted:
        if name in content:
            raise OperatorError(
                f"[{name}] stands in {path} already; change it by hand to:\n{lines}",
                code="already_set",
            )
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    edits.change(path, _WHAT, f"{text}{gap}{lines}")
