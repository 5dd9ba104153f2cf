"""The settings that make each agent export its telemetry to a server.

Sources: agent-telemetry, the sections on OpenTelemetry, and agent-captures. Content is switched off
wherever an agent has a switch for it; what it sends all the same the server leaves behind.
"""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from stationmaster.client import edits
from stationmaster.client.server import Server
from stationmaster.errors import BadRequest, OperatorError, did_you_mean
from stationmaster.settings import variable

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
        "OTEL_LOG_USER_PROMPTS": "0",
        "OTEL_LOG_ASSISTANT_RESPONSES": "0",
        "OTEL_LOG_TOOL_CONTENT": "0",
        "OTEL_LOG_RAW_API_BODIES": "0",
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


def _copilot_cli(server: Server) -> Recipe:
    return Recipe(
        {
            "COPILOT_OTEL_ENABLED": "true",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
            **_endpoint(server),
            "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "false",
        }
    )


def _droid(server: Server) -> Recipe:
    return Recipe(
        {
            "OTEL_TELEMETRY_ENDPOINT": server.url,
            "OTEL_TELEMETRY_HEADERS": f"Authorization=Bearer {server.key}",
            "OTEL_LOG_MESSAGE_CONTENT": "false",
        },
        remark="It exports no tokens: run `stationmaster collect` beside it.",
    )


RECIPES: dict[str, Callable[[Server], Recipe]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini-cli": _of_gemini_kind(".gemini"),
    "qwen-code": _of_gemini_kind(".qwen"),
    "copilot-cli": _copilot_cli,
    "droid": _droid,
}


_WITHOUT = {
    "cursor": "Cursor exports nothing; its hooks tell what it does: "
    "`stationmaster hooks install cursor`",
    "opencode": "OpenCode's export carries every prompt and cannot be told otherwise; our plugin "
    "carries none: `stationmaster hooks install opencode`",
}


def check(product: str) -> None:
    """Raise BadRequest for an agent that is unknown, or exports nothing that should be taken."""
    if product in _WITHOUT:
        raise BadRequest(_WITHOUT[product], code="no_export")
    if product not in RECIPES:
        known = ", ".join(RECIPES)
        raise BadRequest(
            f"{product!r} has no settings for this; known are {known}."
            f"{did_you_mean(product, RECIPES)}",
            code="no_export",
        )


def recipe_of(product: str, server: Server) -> Recipe:
    """The settings with which an agent exports to `server`. Raises BadRequest as `check` does."""
    check(product)
    return RECIPES[product](server)


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


def undo(recipe: Recipe, home: Path) -> Path | None:
    """Give the agent's file back as it was before; None where there is nothing to give back.

    Raises OperatorError where somebody has changed the file since: what is whose nobody can tell.
    """
    if recipe.file is None:
        return None
    path = (home / recipe.file).resolve()
    if not path.exists() or not edits.is_changed(path, _WHAT):
        return None
    if not edits.undo(path, _WHAT):
        raise OperatorError(
            f"{path} was changed since; as it was before it lies beside it, in a file that ends in "
            f"{edits.BACKUP}{_WHAT}",
            code="changed_since",
        )
    edits.forget(path, _WHAT)
    return path


def standing(recipe: Recipe, home: Path) -> tuple[bool | None, str]:
    """Are the settings where the agent reads them? None for an environment that is not ours to
    see. In words, too. Raises OperatorError for a file that cannot be read."""
    unset = [name for name, value in recipe.environment.items() if variable(name) != value]
    if recipe.file is None or recipe.content is None:
        told = f"not in this shell's environment: {', '.join(unset)}" if unset else "all set"
        return (None if unset else True), told
    path = (home / recipe.file).resolve()
    if isinstance(recipe.content, str):
        wanted, known = tomllib.loads(recipe.content), _toml(path)[1]
    else:
        wanted, known = recipe.content, edits.read(path)
    missing = sorted(_missing(known, wanted, ""))
    if missing:
        return False, f"missing or different in {path}: {', '.join(missing)}"
    if unset:
        return None, f"all in {path}; not in this shell's environment: {', '.join(unset)}"
    return True, f"all in {path}"


def _missing(known: Any, wanted: JsonSettings, prefix: str) -> Iterator[str]:
    for name, value in wanted.items():
        found = known.get(name) if isinstance(known, dict) else None
        if isinstance(value, dict):
            yield from _missing(found, value, f"{prefix}{name}.")
        elif found != value:
            yield f"{prefix}{name}"


def _merged(content: JsonSettings, added: JsonSettings) -> JsonSettings:
    merged = dict(content)
    for name, value in added.items():
        known = merged.get(name)
        is_both = isinstance(known, dict) and isinstance(value, dict)
        merged[name] = _merged(known, value) if is_both else value  # type: ignore[arg-type]  # both
    return merged


def _toml(path: Path) -> tuple[str, dict[str, Any]]:
    """A file's text, with its ends of lines as they are, and what it says."""
    text = path.read_bytes().decode("utf-8-sig") if path.exists() else ""
    try:
        return text, tomllib.loads(text)
    except ValueError as fault:
        raise OperatorError(f"{path}: {fault}; nothing was changed", code="bad_file") from fault


def _add_toml(path: Path, lines: str) -> None:
    text, content = _toml(path)
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
    added = gap + lines
    edits.change(path, _WHAT, text + (added.replace("\n", "\r\n") if "\r\n" in text else added))
